import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { hasConsole } from "./e2e/consolePage.ts"
import { startGateway } from "./e2e/process.ts"
import { renderClip } from "./e2e/renderClip.ts"
import { pagesOfText } from "./guard/bodies/pdfs.ts"

/** Runs `dist/gateway` from an empty directory, where nothing of the sources can help it, and asks it a question. */
const binary = resolve(import.meta.dirname, "../dist/gateway")
if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")

const expect = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`the binary fails: ${what}`)
  console.log(`ok  ${what}`)
}

const data = Buffer.from(pagesOfText(["One", "Two"])).toString("base64")
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data } }

const help = Bun.spawnSync([binary, "--help"], { cwd: mkdtempSync(join(tmpdir(), "gateway-empty-")) })
expect("gateway --help names its commands", help.stdout.toString().includes("serve"))
const licenses = Bun.spawnSync([binary, "licenses"], { cwd: mkdtempSync(join(tmpdir(), "gateway-empty-")) })
expect("gateway licenses names what is in it", /^effect +\S+ +MIT$/m.test(licenses.stdout.toString()))

const optioned = await startGateway({ command: [binary, "serve"], env: { BUN_OPTIONS: "--smol" } })
expect("Bun's own options in the environment are no words of its user", optioned.url !== "")
await optioned.dispose()

const begun = performance.now()
const gateway = await startGateway({ command: [binary] })
try {
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(`the first answer comes ${Math.round(performance.now() - begun)} ms after the start`, ready.status === 200)
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: "sandbox-text", max_tokens: 100, messages: "Hello!" })
  })
  expect("/v1/messages answers", answer.status === 200 && (await answer.text()).includes('"end_turn"'))
  const document = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: "sandbox-text", max_tokens: 100, messages: [{ role: "user", content: [pdf] }] })
  })
  expect("a document is read in a process of its own", (await document.text()).includes("a PDF of 2 pages"))
  const docs = await fetch(`${gateway.url}/docs/reference.js`)
  expect("/docs carries its own script", (await docs.text()).length > 1_000_000)
  expect("/console carries its page, scripts and styles", await hasConsole(gateway.url))
  const clip = await renderClip(gateway.url, gateway.key)
  expect("sandbox-video renders a clip on a thread of its own", clip.startsWith("\0\0\0") && clip.includes("ftyp"))
  gateway.signal("SIGTERM")
  expect("SIGTERM ends it with 0", (await gateway.exited) === 0)
} finally {
  await gateway.dispose()
}
