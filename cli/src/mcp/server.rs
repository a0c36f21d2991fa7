//! The server: translates between the Model Context Protocol and the session.

use super::session::{Call, Called, Request};
use exchange::protocol::Tool;
use record::Agent;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// The prompt that states the task.
const TASK: &str = "task";

/// The resource with everything that the model has seen.
const CONVERSATION: &str = "api-bank://conversation";

/// Forwards requests to the session, which lives on another task.
pub(super) struct Server {
    instructions: String,
    session: mpsc::Sender<Request>,
}

impl Server {
    pub(super) fn new(instructions: String, session: mpsc::Sender<Request>) -> Self {
        Server { instructions, session }
    }

    /// The session's answer to a request.
    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, ErrorData> {
        let gone = || ErrorData::internal_error("the session has ended", None);
        let (to, answer) = oneshot::channel();
        self.session.send(request(to)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("api-bank", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.ask(Request::Tools).await?;
        Ok(ListToolsResult::with_all_items(tools.into_iter().map(offered).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call {
            name: request.name.into_owned(),
            arguments: request.arguments.unwrap_or_default(),
            client: client(&context),
        };
        let Called { text, is_error, new_tools } = self.ask(|to| Request::Call(call, to)).await?;
        if new_tools {
            // Clients without notifications call the new tools through `call_tool`.
            let _ = context.peer.notify_tool_list_changed().await;
        }
        let content = vec![ContentBlock::text(text)];
        let result = match is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let description = "The instructions, the conversation so far and the user's message.";
        let task = Prompt::new(TASK, Some(description), None);
        Ok(ListPromptsResult::with_all_items(vec![task]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != TASK {
            let message = format!("name: expected {TASK}, got {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let texts = self.ask(Request::Task).await?;
        let messages = texts.into_iter().map(|text| PromptMessage::new_text(Role::User, text));
        Ok(GetPromptResult::new(messages.collect()).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let conversation = Resource::new(CONVERSATION, "conversation")
            .with_description("The whole conversation so far, with calls and their results.")
            .with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![conversation]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != CONVERSATION {
            let message = format!("uri: expected {CONVERSATION}, got {}", request.uri);
            return Err(ErrorData::invalid_params(message, None));
        }
        let text = self.ask(Request::Conversation).await?;
        let contents = ResourceContents::text(text, CONVERSATION);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// How the client introduced itself: at the start, or with each request in the protocol's versions
/// without a handshake.
fn client(context: &RequestContext<RoleServer>) -> Option<Agent> {
    let at_start = context.peer.peer_info().map(|info| info.client_info.clone());
    let client = at_start.or_else(|| context.meta.client_info())?;
    Some(Agent { name: client.name, version: client.version })
}

/// A tool in the protocol's form.
fn offered(tool: Tool) -> rmcp::model::Tool {
    let schema = match tool.parameters {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    rmcp::model::Tool::new(tool.name, tool.description, schema)
}
