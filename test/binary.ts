import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { startGateway } from "./e2e/process.ts"

/** Runs `dist/gateway` from an empty directory, where nothing of the sources can help it, and asks it a question. */
const binary = resolve(import.meta.dirname, "../dist/gateway")
if (!existsSync(binary)) throw new Error("dist/gateway is missing: bun run build makes it")

const expect = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`the binary fails: ${what}`)
  console.log(`ok  ${what}`)
}

const help = Bun.spawnSync([binary, "--help"], { cwd: mkdtempSync(join(tmpdir(), "gateway-empty-")) })
expect("gateway --help names its commands", help.stdout.toString().includes("serve"))

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
  const docs = await fetch(`${gateway.url}/docs`)
  expect("/docs carries its own script", (await docs.text()).length > 1_000_000)
  const clip = await renderClip(gateway.url, gateway.key)
  expect("sandbox-video renders a clip on a thread of its own", clip.startsWith("\0\0\0") && clip.includes("ftyp"))
  gateway.signal("SIGTERM")
  expect("SIGTERM ends it with 0", (await gateway.exited) === 0)
} finally {
  await gateway.dispose()
}

/** Creates a video, waits for it and answers the beginning of its file. */
async function renderClip(url: string, key: string): Promise<string> {
  const tasks = `${url}/api/v3/contents/generations/tasks`
  const headers = { authorization: `Bearer ${key}` }
  const body = JSON.stringify({
    model: "sandbox-video",
    resolution: "480p",
    content: [{ type: "text", text: "a cat" }]
  })
  const { id } = (await (await fetch(tasks, { method: "POST", headers, body })).json()) as { id: string }
  for (let tries = 0; tries < 300; tries++) {
    const task = (await (await fetch(`${tasks}/${id}`, { headers })).json()) as {
      status: string
      content?: { video_url: string }
    }
    if (task.content !== undefined) return (await (await fetch(task.content.video_url)).text()).slice(0, 12)
    if (task.status === "failed") return JSON.stringify(task)
    await Bun.sleep(100)
  }
  return "no clip within 30 s"
}
