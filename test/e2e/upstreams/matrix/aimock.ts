import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DialectName } from "../../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../../upstreams/fakes/scenarios.ts"
import { command, listening } from "./servers.ts"
import type { Server } from "./servers.ts"
import { freePort } from "../../../freePort.ts"

const version = "1.43.0"

const call = (city: string) => ({ name: "get_weather", arguments: JSON.stringify({ city }) })

/** Its answers, by scenario. */
const responses: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  text: {
    content: spoken.text,
    usage: { prompt_tokens: 20, completion_tokens: 8, input_tokens: 20, output_tokens: 8 }
  },
  "parallel-tools": { toolCalls: [call(spoken.city), call(spoken.other)] },
  reasoning: { content: spoken.text, reasoning: spoken.thought },
  "reasoning-tools": { toolCalls: [call(spoken.city)], reasoning: spoken.thought },
  json: { content: spoken.json },
  "max-tokens": { content: spoken.text, finishReason: "length" },
  "error-before": { error: { message: "messages: too few of them", type: "invalid_request_error" }, status: 400 }
}

/** aimock, installed for the run from npm. */
export const withAimock = async (use: (server: Server, title: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "aimock-"))
  writeFileSync(join(folder, "package.json"), "{}")
  await command(["npm", "install", "--silent", `@copilotkit/aimock@${version}`], folder)
  // The longest first: it looks for the words anywhere.
  const names = Object.entries(responses).sort(([one], [other]) => other.length - one.length)
  const played = names.map(([name, response]) => ({
    match: { userMessage: `play:${name}` },
    response
  }))
  const cut = {
    match: { userMessage: "play:cut" },
    response: { content: spoken.text },
    chunkSize: 1,
    truncateAfterChunks: 14,
    latency: 20
  }
  // If tool results can hold only text, their images follow in a user message.
  const shown = { match: { userMessage: "Images in the result" }, response: { content: spoken.text } }
  const fixtures = [shown, { match: { hasToolResult: true }, response: { content: spoken.text } }, cut, ...played]
  writeFileSync(join(folder, "fixtures.json"), JSON.stringify({ fixtures }))
  const port = freePort()
  const args = [
    "node_modules/.bin/llmock",
    "--fixtures",
    "fixtures.json",
    "--port",
    String(port),
    "--host",
    "127.0.0.1"
  ]
  const child = Bun.spawn(args, { cwd: folder, stdout: "ignore", stderr: "ignore" })
  try {
    const url = `http://127.0.0.1:${port}`
    await listening(`${url}/health`, child)
    const plays = [...Object.keys(responses), "usage", "image", "document"]
    const playsAt = (protocol: DialectName, stream: boolean) => [
      // Its responses are always complete, and it breaks off streams alone.
      ...plays.filter((name) => name !== "max-tokens" || protocol !== "openai-responses"),
      ...(stream ? ["cut"] : [])
    ]
    await use({ baseUrl: `${url}/v1`, apiKey: "none", plays: playsAt }, `aimock ${version}`)
  } finally {
    child.kill()
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
}
