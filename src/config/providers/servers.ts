import type { ProviderRow } from "./ProviderRow.ts"

/** Server software that operators run themselves. */
const server = (origin: string | undefined, hosts: ReadonlyArray<string> = []): ProviderRow => ({
  hosts,
  origin,
  surfaces: [{ protocol: "openai-chat", path: "/v1" }],
  auth: "none",
  example: "the server's own"
})

export const servers = {
  ollama: server("http://127.0.0.1:11434", ["ollama.com"]),
  vllm: server("http://127.0.0.1:8000"),
  sglang: server("http://127.0.0.1:30000"),
  llamacpp: server("http://127.0.0.1:8080"),
  lmstudio: server("http://127.0.0.1:1234"),
  generic: server(undefined)
} satisfies Readonly<Record<string, ProviderRow>>
