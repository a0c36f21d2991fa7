"""Serves a GGUF model, with an adapter if one is given, by llama.cpp: http://127.0.0.1:PORT/v1.

One request at a time, so that a dialogue's prompts reuse the computed prefix of the one before.
"""

import argparse
import time

import xllamacpp

from base import gguf_file


def start(base, adapter, port, context, threads):
    """Starts the server; it stops with the process. Returns its address."""
    given = xllamacpp.CommonParams()
    given.model.path = str(gguf_file(base))
    if adapter:
        lora = xllamacpp.CommonAdapterLoraInfo()
        lora.path = str(adapter)
        lora.scale = 1.0
        given.lora_adapters = [lora]
    given.hostnames, given.port = ["127.0.0.1"], port
    given.n_ctx, given.n_parallel, given.warmup = context, 1, False
    if threads:
        given.cpuparams.n_threads = threads
    server = xllamacpp.Server(given)
    return server, server.listening_address


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", default="gemma3-270m", help="gemma3-270m, or a .gguf file")
    parser.add_argument("--adapter", help="adapter.gguf of a run")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--context", type=int, default=4096, help="tokens of prompt and answer")
    parser.add_argument("--threads", type=int, default=0, help="0 for one a core")
    given = parser.parse_args()
    _server, address = start(given.base, given.adapter, given.port, given.context, given.threads)
    print(f"{address}/v1", flush=True)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
