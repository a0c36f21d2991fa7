//! Names that variants draw from, and the gender of the pack's first names.
//!
//! None of the drawn names occurs in the pack; `people` skips those that a later dialogue brings in.

use super::fold::fold;
use crate::random::draw;
use std::collections::{BTreeMap, BTreeSet};

/// The names of a list that are not taken, in the order of a seed.
pub(super) fn shuffled(
    names: &'static str,
    taken: &BTreeSet<String>,
    seed: u32,
) -> Vec<&'static str> {
    let mut shuffled = BTreeMap::new();
    for name in names.split_whitespace().filter(|name| !taken.contains(&fold(name))) {
        shuffled.insert(draw(seed, name), name);
    }
    shuffled.into_values().rev().collect()
}

/// Female first names to draw.
pub(super) const FEMALE: &str = "\
    Abigail Adela Agata Agnieszka Aisling Alessandra Alina Allegra Ameera Anahita Annika Antonella \
    Apinya Ariane Astrid Aurelia Ayesha Beatrix Bianca Birgit Bronwyn Camila Carlotta Catalina \
    Cecilia Chiara Cordelia Dagmar Daniela Daria Deborah Delphine Dilnoza Dorothea Eilidh Eleni \
    Emiliana Esperanza Eszter Eugenia Fiona Florentina Francesca Freya Gabriela Genevieve Gertrud \
    Giulia Gloria Gudrun Gwendolyn Hadiya Harriet Helga Henrietta Hermione Hyejin Ileana Imogen \
    Ingeborg Irina Iseult Ivana Jasmina Joanna Josephine Julieta Kamila Karolina Katarzyna Katrin \
    Khadija Kristina Larissa Lavinia Liesel Ludmila Magdalena Malin Marisol Martina Mathilda \
    Mehwish Michelle Monika Mukami Nandini Natalia Ngozi Nicoletta Nomvula Oksana Olga Ophelia \
    Palesa Penelope Philippa Rebecca Renata Roksana Rosalind Rukmini Sabina Sandra Saoirse Shanthi \
    Siobhan Soraya Stefania Sunniva Susanna Svetlana Tatiana Ursula Vanessa Veronika Wilhelmina \
    Xiomara Yasmin Yevgenia Zuzanna";

/// Male first names to draw.
pub(super) const MALE: &str = "\
    Abdullah Adrian Alasdair Aleksander Alfonso Anselm Anthony Armando Arne Augustin Balthasar \
    Bartosz Benedikt Benjamin Bernhard Bogdan Casper Cedric Chidi Christopher Conrad Damian Daniel \
    Dariusz Desmond Dietrich Dominik Duncan Edgar Eduardo Edwin Enrique Erik Ernesto Esteban \
    Eugene Fabian Farid Federico Felipe Filip Florian Franklin Frederik Gareth Gaspard Gerald \
    Gianluca Gilberto Giorgio Gottfried Gregor Gunnar Gustavo Harald Hassan Hector Heinrich \
    Hiroshi Hugo Ibrahim Ignacio Ivan Jakub Jamal Javier Joachim Jorge Julian Kacper Karel Karim \
    Konstantin Kristof Lachlan Lamine Laurent Leopold Lorenzo Lothar Ludwig Manuel Marcel \
    Maximilian Mehmet Mihai Mikael Nathaniel Nikolai Olivier Orlando Osvaldo Pascal Pietro Quentin \
    Radek Ragnar Reinhold Roberto Rodrigo Roland Sebastian Sergei Silvio Stanislav Sunil Terence \
    Theodor Torsten Ulrich Umberto Vincent Vladimir Wendell Wilfred Yusuf Zachary Zoltan";

/// First names of either gender to draw, for names whose gender is not listed below.
pub(super) const EITHER: &str = "\
    Adair Arden Ariel Bellamy Blair Briar Cameron Casey Charlie Dakota Darcy Devon Ellery Emerson \
    Finley Frankie Jamie Jesse Kelsey Kendall Lennon Marlow Morgan Peyton Quinn Reese Remy Robin \
    Sasha Shannon Sidney Skyler Taylor Toni Tracy Vivian";

/// Last names to draw. None ends in s, because the checks of grounding read a possessive only after
/// other letters.
pub(super) const LAST: &str = "\
    Abernathy Achterberg Adeyemi Ahlgren Albrecht Andersson Antonelli Arroyo Ashworth Bakkali \
    Balogun Barbosa Bernasconi Bhattacharya Bjarnason Blackwood Bogdanov Bondarenko Borkowski \
    Bosch Bouchard Brennan Brzezinski Campbell Chakraborty Chaudhry Christensen Colombo Cunningham \
    Czerny Dahlberg Dasgupta Delacroix Delgado Demir Derksen Dimitrov Dlamini Donnelly Drozdov \
    Eberhardt Eklund Eriksen Escobar Espinoza Farooqi Fitzgerald Fontaine Forsberg Friedrich \
    Fujimoto Gallagher Gauthier Georgiou Ghosh Giordano Greenhalgh Grigoryan Gunnarsson Hakimi \
    Halloran Hashimoto Hathaway Hirvonen Holmgren Horvath Ibarra Ilyin Ishikawa Iyer Jakubowski \
    Jankovic Johansen Kapoor Karlsson Kasprzak Kavanagh Keller Khoury Kirchner Kobayashi Koroma \
    Kovalenko Krishnan Kruger Kumar Lachance Lambert Larsen Lavoie Lefebvre Leszczynski Lombardi \
    Lundgren MacLeod Magnusson Makinde Malinowski Mancini Marchetti Matsumoto Mazur McAllister \
    Mendoza Michalak Mitchell Mokoena Molnar Morrison Mukherjee Nakamura Navarro Ndiaye Novak \
    Obradovic Ochieng Odhiambo Oliveira Olofsson Onyango Ortega Osei Paquette Pedersen Petrosyan \
    Pietrzak Popescu Prescott Quintero Radford Rasmussen Reinhardt Ribeiro Robertson Romano \
    Rosenthal Rossi Ruiz Sahin Sandoval Santoro Schneider Shevchenko Silva Sorensen Stewart Suzuki \
    Svensson Takahashi Teixeira Thorvaldsen Tremblay Trujillo Ueda Vandenberg Vasquez Vermeulen \
    Villanueva Vogel Wallace Watanabe Whitaker Wierzbicki Wojcik Yamamoto Yilmaz Zapata Zielinski \
    Zimmermann";

/// Female first names in the pack. A name in this table or the next is replaced wherever it
/// stands, even if no database has it.
pub(super) const KNOWN_FEMALE: &str = "\
    Adaeze Aiko Alma Amara Anička Anouk Aoife Awa Beatriz Bettina Bisi Chipo Clara Djamila Ebele \
    Edda Elena Elsa Fatima Grace Gülsüm Hana Hattie Ifeoma Inês Isabel Juno Lalita Leila Lena \
    Lotte Lucia Lucía Lupe Margot Maria Marta Mei Mira Nadia Nadine Nele Noor Ottilie Paloma Pilar \
    Priya Radka Rania Ruth Salma Selma Sofia Solveig Tamsin Thandiwe Wanjiru Yuki Zahra Zeynep";

/// Male first names in the pack.
pub(super) const KNOWN_MALE: &str = "\
    Andrzej Arjun Binh Bruno Diego Dmitri Dougal Emil Femi Fergus George Halvard Henrik Jan Jonas \
    José João Kenji Kwame Leo Liam Mateo Nikos Omar Oskar Patrick Pavel Rafael Ramiro Rashid Ravi \
    Rui Samuel Sefa Seán Sione Sipho Stavros Tane Tendai Tomás Vikram Viktor Walter";

/// Words to draw for names of hotels and organizations.
pub(super) const PROPER: &str = "\
    Aldermoor Ambleford Arundale Ashcombe Averley Barrowden Beechmont Belvoir Birkdale Blakeney \
    Bramford Brindlewood Broadmere Calloway Cambrook Chalford Chesterton Claverdon Coldwell \
    Cranmore Dalebrook Danebury Deepdene Denholm Dovecliff Draycott Dunmere Eastcote Edgeworth \
    Elmhurst Elverton Fairholme Farleigh Fernhurst Foxcombe Gainsford Glenmoor Goldhurst Grantham \
    Greystoke Haldane Hartwell Haverstock Hazelmere Heathcote Highmoor Hollowell Holmbury \
    Inglewood Ironbridge Ivybridge Kelmscott Kenborough Kestonbury Kingsmere Knollwood Lacewell \
    Langford Larchmont Lavendon Lindenau Longmere Lynwood Maplehurst Marbury Marlstone Meadowcroft \
    Merriden Millbank Monkswell Moorcroft Netherby Newlyn Northgate Norwood Oakhampton Oldbury \
    Orrington Overbrook Oxenford Padstone Pemberley Pinehurst Polperro Quarrendon Quillbrook \
    Ravenscar Redmarley Ridgeway Rookhope Rosedene Rushmere Sandbourne Selwood Sherbrook \
    Silverdale Stanmore Stonehaven Sutterby Swanmore Tamberlane Tarrington Thornbury Tidmarsh \
    Torbryan Trevanion Underhill Upwell Valebrook Wainfleet Waverton Westbourne Whitcombe \
    Willoughby Winterbourne Woodcote Wyndham Yarborough Yewdale Zennor";
