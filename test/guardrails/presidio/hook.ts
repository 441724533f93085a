import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs"
import { join, resolve } from "node:path"

const packages = ["presidio-analyzer==2.2.366", "standardwebhooks==1.1.0"]
const cache = resolve(import.meta.dirname, "../../../node_modules/.cache/presidio")
const folder = join(cache, packages.join("-").replaceAll(/[^\w.=-]/g, "_"))
const python = join(folder, "venv/bin/python")
const example = resolve(import.meta.dirname, "../../../examples/guardrails/presidio.py")

const run = async (command: ReadonlyArray<string>): Promise<void> => {
  const code = await Bun.spawn([...command], { stdin: "ignore", stdout: "inherit", stderr: "inherit" }).exited
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`)
}

/** Installs Presidio of PyPI into the cache, whole or not at all. */
export const installPresidio = async (): Promise<void> => {
  if (existsSync(folder)) return
  mkdirSync(cache, { recursive: true })
  const making = mkdtempSync(join(cache, "making-"))
  await run(["python3", "-m", "venv", "--copies", join(making, "venv")])
  await run([join(making, "venv/bin/python"), "-m", "pip", "install", "--quiet", ...packages])
  renameSync(making, folder)
}

/** The example of the documentation, in a process of its own. */
export const startPresidio = async (secret: string) => {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  const url = probe.url.href
  const { port } = probe
  await probe.stop(true)
  const child = Bun.spawn([python, example, String(port)], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", GUARDRAIL_SECRET: secret, PYTHONDONTWRITEBYTECODE: "1" }
  })
  const isUp = () =>
    fetch(url, { method: "POST", body: "" }).then(
      ({ status }) => status === 400,
      () => false
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`presidio.py ended with ${child.exitCode}`)
    await Bun.sleep(100)
  }
  return {
    url,
    kill: async () => {
      child.kill("SIGKILL")
      await child.exited
    }
  }
}

type Answering = (pass: () => Promise<Response>, asked: HookQuestion) => Response | Promise<Response>

interface HookQuestion {
  readonly type: "guardrail.input" | "guardrail.output"
  readonly texts: ReadonlyArray<unknown>
}

/** Stands between the gateway and Presidio, and may answer in its place. */
export const startFront = (presidio: string) => {
  let answering: Answering = (pass) => pass()
  const asked: Array<string> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const body = await request.text()
      asked.push(body)
      const headers = Object.fromEntries(request.headers)
      delete headers["host"]
      const pass = () =>
        fetch(presidio, { method: "POST", headers, body }).catch(() => new Response(null, { status: 502 }))
      return answering(pass, JSON.parse(body))
    }
  })
  return {
    url: server.url.href,
    asked,
    answers: (by: Answering = (pass) => pass()) => void (answering = by),
    stop: () => server.stop(true)
  }
}
