import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { readMp4 } from "../sandbox/video/boxes.ts"
import { png } from "./videoFiles.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const secret = `whsec_${Buffer.from("the example's own webhook secret").toString("base64")}`
const images = ["first.png", "last.png"]
let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8", GATEWAY_WEBHOOK_SECRET: secret } })
  for (const name of images) writeFileSync(join(gateway.folder, name), png(640, 360))
})
afterAll(() => gateway.dispose())

/** Runs a program in the gateway's folder. Returns its lines. */
const run = async (...command: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const program = Bun.spawn([...command], {
    cwd: gateway.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      // OpenAI's library warns that its own service has ended.
      PYTHONWARNINGS: "ignore",
      GATEWAY_URL: gateway.url,
      GATEWAY_KEY: gateway.key,
      GATEWAY_WEBHOOK_SECRET: secret
    },
    stdout: "pipe",
    stderr: "pipe"
  })
  const [printed, complained, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited
  ])
  expect([code, complained]).toEqual([0, ""])
  return printed.trimEnd().split("\n")
}
const example = (name: string) => resolve(import.meta.dirname, "../../examples", name)
const saved = (name: string) => readMp4(readFileSync(join(gateway.folder, name)))

it("the README's example receives every signed callback in order and saves a clip that plays", async () => {
  const printed = await run(process.execPath, example("video-callbacks.ts"))
  expect(printed.filter((line) => line.startsWith("callback:"))).toEqual([
    "callback: queued",
    "callback: running",
    "callback: succeeded"
  ])
  expect(saved("lighthouse.mp4")).toMatchObject({ width: 864, height: 496 })
})

const examples: ReadonlyArray<readonly [name: string, file: string, arguments: ReadonlyArray<string>, width: number]> =
  [
    ["from-text", "from-text.mp4", [], 1280],
    ["from-frames", "from-frames.mp4", images, 864],
    ["with-references", "with-references.mp4", images, 864]
  ]

describe("the examples of videos", () => {
  it.concurrent.each(examples)("video-%s.ts saves its clip", async (name, file, given, width) => {
    const printed = await run(process.execPath, example(`video-${name}.ts`), ...given)
    expect(printed.at(-1)).toBe(`saved: ${file}`)
    expect(saved(file)).toMatchObject({ width, seconds: 4 })
  })

  // Each needs python3 with its package, and is left out elsewhere.
  const python3 = Bun.which("python3")
  const isThere = (module: string) =>
    python3 !== null && Bun.spawnSync([python3, "-c", `import ${module}`]).exitCode === 0
  const python = [
    ["video_from_text", "openai", "from-text.mp4", []],
    ["video_from_frames", "requests", "from-frames.mp4", images],
    ["video_with_references", "requests", "with-references.mp4", images],
    ["video_callbacks", "standardwebhooks", "callbacks.mp4", []]
  ] as const
  for (const [name, module, file, given] of python) {
    it.skipIf(!isThere(module))(`${name}.py saves its clip`, async () => {
      const printed = await run("python3", example(`${name}.py`), ...given)
      expect(printed.at(-1)).toBe(`saved: ${file}`)
      expect(saved(file)).toMatchObject({ seconds: 4 })
    })
  }
})
