/**
 * Libraries of PyPI that make videos: Ark's own, OpenAI's and LiteLLM's, each in a pinned version, make, follow and fetch a
 * video of every upstream, with nothing but a model and a prompt. DashScope's own makes one at the fake for its service.
 * Needs python3, and the network for the installation.
 *
 *   bun run test:long videos [ark|openai|litellm|dashscope]
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { dashscopeKey } from "../upstreams/fakes/dashscope.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"
import { startVideoWorld } from "./world.ts"

const packages = {
  ark: "volcengine-ark-runtime==5.0.54",
  openai: "openai==3.57.0",
  litellm: "litellm==1.110.2",
  dashscope: "dashscope==2.0.2"
} as const
type Library = keyof typeof packages
const isLibrary = (name: string): name is Library => name in packages

const python = Bun.which("python3")
const all = Object.keys(packages).filter(isLibrary)
const asked = process.argv.slice(2).filter(isLibrary)
const libraries = asked.length === 0 ? all : asked
const home = resolve(import.meta.dirname, "../../node_modules/.cache/video-clients")

const run = async (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe"
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

/** The library's interpreter, installed if it is not there yet. */
const install = async (library: Library): Promise<string> => {
  const folder = join(home, packages[library])
  const program = join(folder, "bin/python")
  if (existsSync(join(folder, "installed"))) return program
  if (python === null) throw new Error("python3 is not there")
  mkdirSync(home, { recursive: true })
  console.log(`Installing ${packages[library]} into ${folder}`)
  for (const command of [
    [python, "-m", "venv", "--clear", folder],
    [program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", packages[library]]
  ]) {
    const { code, errors } = await run(command)
    if (code !== 0) throw new Error(`${command.join(" ")}: ${errors.slice(-400)}`)
  }
  writeFileSync(join(folder, "installed"), packages[library])
  return program
}

const world = await startVideoWorld()
let failed = 0

const tell = (what: string, wrong: string | undefined) => {
  if (wrong !== undefined) failed++
  console.log(
    wrong === undefined ? `ok      ${what}` : `not ok  ${what}\n        ${wrong.replaceAll("\n", "\n        ")}`
  )
}

/** Runs a library's program, which prints the SHA-256 of the file that it has fetched. */
const make = async (library: Library, program: string, name: VideoServiceName): Promise<string | undefined> => {
  const prompt = `a cat of ${library} at ${name}`
  const isDirect = library === "dashscope"
  const url = isDirect ? `${world.services.dashscope.origin}/api/v1` : world.gateway.url
  const { code, errors, output } = await run([program, join(import.meta.dirname, `with_${library}.py`)], {
    URL: url,
    KEY: isDirect ? dashscopeKey : world.gateway.key,
    MODEL: isDirect ? "wan3.0-video" : name,
    PROMPT: prompt,
    PYTHONDONTWRITEBYTECODE: "1"
  })
  if (code !== 0) return `ended with ${code}: ${errors.slice(-1_500)}`
  const expected = createHash("sha256").update(world.fileFor(name, prompt)).digest("hex")
  return output.trim().endsWith(expected) ? undefined : `another file: ${output.slice(-300)}`
}

try {
  for (const library of libraries) {
    const program = await install(library)
    const names = library === "dashscope" ? (["dashscope"] as const) : videoServiceNames
    for (const name of names) tell(`${packages[library]}: ${name}`, await make(library, program, name).catch(String))
  }
} finally {
  await world.dispose()
}
console.log(failed === 0 ? "all of them" : `FAILED: ${failed}`)
process.exit(failed === 0 ? 0 : 1)
