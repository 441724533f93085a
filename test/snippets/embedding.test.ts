import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { read } from "../docs/documents.ts"
import { startGateway } from "../e2e/process.ts"
import { snippetsOf } from "./snippets.ts"

const imports = `import { Console, Effect, Layer, Stream } from "effect"
import {
  AccessLog, BunRuntime, Gateway, Keys, lastUserText, OwnModels, Settings, streamUpstream, TextUpstreams
} from "model-gateway"
import type { GenerationEvent, Model } from "model-gateway"
`

/** The page leaves starting the gateway to its reader. */
const launch = `
const started = Effect.gen(function* () {
  const { bootstrapKey } = yield* Settings
  yield* (yield* Keys).bootstrap(bootstrapKey)
  yield* Console.log(\`It listens on \${(yield* Gateway.Address).url.href}\`)
})
BunRuntime.runMain(
  Layer.launch(Layer.effectDiscard(started).pipe(Layer.provide(gateway), Layer.provide(Settings.from(process.env))))
)
`

it("docs/embedding.md: its blocks are a gateway with a model of one's own", async () => {
  const blocks = snippetsOf("docs/embedding.md", await read("docs/embedding.md")).filter(
    ({ code, language }) => language === "ts" && !code.includes("bun:test")
  )
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
