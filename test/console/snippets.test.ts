import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spawn, spawnSync, which } from "bun"
import { bodyOf } from "../../console/play/bodies.ts"
import { families } from "../../console/play/draft.ts"
import type { Draft, Family } from "../../console/play/draft.ts"
import { snippetsOf } from "../../console/play/snippets.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"

const models: Partial<Record<Family, string>> = {
  embeddings: "sandbox-embed",
  images: "sandbox-image",
  speech: "sandbox-speech",
  transcriptions: "sandbox-transcribe",
  videos: "sandbox-video"
}

const data = Buffer.from("A table of numbers.\n".repeat(60)).toString("base64")

const draftOf = (family: Family): Draft => ({
  family,
  model: models[family] ?? "sandbox-text",
  system: family === "embeddings" || family === "videos" ? "" : "Be brief.",
  messages: [
    {
      role: "user",
      text: `It's "quoted", with $HOME, \\n and ü\nand a second line`,
      files:
        family === "embeddings" || family === "videos"
          ? []
          : [{ name: "numbers.txt", type: "text/plain", size: data.length, data }]
    }
  ],
  tools: [],
  hasSearch: false,
  maxTokens: 64,
  temperature: 0.5,
  image: { size: "64x64" },
  speech: { voice: "alloy" },
  video: { resolution: "480p", ratio: "16:9", seconds: 4 }
})

/** What each prints that was answered. */
const answered: Readonly<Record<Family, RegExp>> = {
  messages: /numbers/,
  responses: /numbers/,
  chat: /numbers/,
  embeddings: /^256$|"embedding"/m,
  images: /^1$|"b64_json"/m,
  transcriptions: /Sound of/,
  speech: /speech\.mp3|^$/,
  task: /task_\w+/,
  videos: /cgt-\w+/
}

let gateway: GatewayProcess
let folder: string

const run = async (command: ReadonlyArray<string>) => {
  const child = spawn([...command], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, GATEWAY_KEY: gateway.key },
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { out, err, code }
}

const python = which("python3")
const hasClients = python !== null && spawnSync([python, "-c", "import openai, anthropic"]).exitCode === 0

describe("the playground's requests as code", () => {
  beforeAll(async () => {
    gateway = await startGateway()
    // Where the official clients are found: below this folder.
    const dist = resolve(import.meta.dirname, "../../dist")
    mkdirSync(dist, { recursive: true })
    folder = mkdtempSync(join(dist, "snippets-"))
    writeFileSync(join(folder, "numbers.txt"), Buffer.from(data, "base64"))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await gateway.dispose()
  })

  const copied = (family: Family) =>
    new Map(
      snippetsOf(gateway.url, family, bodyOf(draftOf(family))).map(([name, shown, whole]) => [name, whole ?? shown])
    )

  it.each(families)("run as they are copied: %s", async (family) => {
    const codes = copied(family)
    const curl = await run(["bash", "-c", `${codes.get("curl") ?? ""} --silent --show-error --fail-with-body`])
    expect([curl.code, curl.err]).toEqual([0, ""])
    expect(curl.out).toMatch(family === "embeddings" ? /"embedding"/ : answered[family])

    const file = join(folder, `${family}.ts`)
    writeFileSync(file, codes.get("TypeScript") ?? "")
    const typescript = await run([process.execPath, file])
    expect([typescript.code, typescript.err]).toEqual([0, ""])
    expect(typescript.out).toMatch(answered[family])

    if (python === null) return console.log("skipped: there is no python3 here")
    const program = join(folder, `${family}.py`)
    writeFileSync(program, codes.get("Python") ?? "")
    const isPlain = family === "task" || family === "videos"
    if (!hasClients) console.log(`${family}.py: ${isPlain ? "run" : "compiled alone"}, the clients are not here`)
    const ran = await run(hasClients || isPlain ? [python, program] : [python, "-m", "py_compile", program])
    expect([ran.code, ran.err]).toEqual([0, ""])
    if (hasClients || isPlain) expect(ran.out).toMatch(answered[family])
  })

  it("show long contents cut, and copy them whole", () => {
    for (const [, shown, whole] of snippetsOf(gateway.url, "messages", bodyOf(draftOf("messages")))) {
      expect(shown).toContain("characters)")
      expect(shown.length).toBeLessThan(1_500)
      expect(whole).toContain("A table of numbers.\\nA table of numbers.")
    }
  })
})
