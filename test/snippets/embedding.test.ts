import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { read } from "../docs/documents.ts"
import { startGateway } from "../e2e/process.ts"
import { snippetsOf } from "./snippets.ts"

const imports = `import {
  AccessLog, BunRuntime, Console, Effect, GatewayCore, Keys, lastUserText, Layer, Listening, OwnModels, PlatformLive,
  PublicUrl, SandboxLive, Settings, Stream, streamUpstream, TextUpstreams
} from "model-gateway"
import type { GenerationEvent } from "model-gateway"
`

/** What the page leaves to its reader: who starts it. */
const launch = `
const started = Effect.gen(function* () {
  const { bootstrapKey } = yield* Settings
  yield* (yield* Keys).bootstrap(bootstrapKey)
  yield* Console.log(\`It listens on \${(yield* Listening).url.href}\`)
})
const settings = Settings.from({ ...process.env, GATEWAY_DATABASE_URL: "sqlite::memory:" })
BunRuntime.runMain(
  Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(gateway), Layer.provide([settings, AccessLog.Off])))
)
`

it("docs/embedding.md: its blocks are a gateway with a model of one's own", async () => {
  const blocks = snippetsOf("docs/embedding.md", await read("docs/embedding.md")).filter((one) => one.language === "ts")
  const [gateway = "", ...parts] = blocks.map(({ code }) => code)
  // Where imports of the package are found: below this folder.
  const dist = resolve(import.meta.dirname, "../../dist")
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, "embedding-"))
  try {
    writeFileSync(join(folder, "program.ts"), [imports, ...parts, gateway, launch].join("\n"))
    const running = await startGateway({ command: [process.execPath, join(folder, "program.ts")] })
    try {
      const answer = await fetch(new URL("/v1/messages", running.url), {
        method: "POST",
        headers: { authorization: `Bearer ${running.key}` },
        body: JSON.stringify({ model: "mine-1", max_tokens: 100, messages: "Hello!" })
      })
      expect(await answer.json()).toMatchObject({ content: [{ type: "text", text: "one heard: Hello!" }] })
    } finally {
      await running.dispose()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
