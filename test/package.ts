import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { hasConsole } from "./e2e/consolePage.ts"
import { exampleTests } from "./docs/examples.ts"
import { askEveryWay } from "./e2e/embedded.ts"
import { renderClip } from "./e2e/renderClip.ts"
import { startGateway } from "./e2e/process.ts"
import { pagesOfText } from "./guard/bodies/pdfs.ts"

/*
 * Packs the package as it would be published, installs it with Node's npm in an empty folder, without install scripts as
 * many do, and uses it there: its types, its command, the embedding example and the tests of docs/embedding.md.
 * `--write` keeps what the compiler says to wrong parts (test/embedding/wrong.tsc.txt).
 */

const root = resolve(import.meta.dirname, "..")
const work = mkdtempSync(join(tmpdir(), "gateway-package-"))
const folder = join(work, "consumer")

const expect = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`the package fails: ${what}`)
  console.log(`ok  ${what}`)
}

const run = (cwd: string, ...command: ReadonlyArray<string>): string => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], { cwd, stderr: "pipe", stdout: "pipe" })
  if (exitCode === 0) return stdout.toString()
  throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stdout.toString()}${stderr.toString()}`)
}

/** The last of the processes that one has started, one by the other. */
const youngestBelow = (pid: number): number => {
  const parentOf = (other: string) => {
    try {
      return Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${other}/stat`, "utf8"))?.[1])
    } catch {
      // It has ended meanwhile.
      return undefined
    }
  }
  const child = readdirSync("/proc").find((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return child === undefined ? pid : youngestBelow(Number(child))
}

/** Where npx finds what is installed above it. */
const mkdtempIn = (above: string) => mkdtempSync(join(above, "served-"))

const data = Buffer.from(pagesOfText(["One", "Two"])).toString("base64")
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data } }

/** A program that embeds the gateway, for the compiler. */
const consumer = `
import { Layer, Stream } from "effect"
import { AccessLog, Gateway, Settings, streamUpstream, TextUpstreams } from "model-gateway"

const upstream = streamUpstream("sandbox", (conversation) => Stream.make({ type: "text-delta" as const, text: conversation.model }))
export const gateway: Layer.Layer<Gateway.Address, unknown> = Gateway.layer({
  settings: Settings.from({}),
  accessLog: AccessLog.Off,
  textUpstreams: TextUpstreams.layer(upstream)
})
// @ts-expect-error -- it is no text, so the declarations are there and are no \`any\`
export const parts: Gateway.Parts = "nothing"
`

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "ESNext",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ESNext", "DOM", "DOM.Iterable"],
  types: [],
  skipLibCheck: true
}

try {
  mkdirSync(folder)
  const [packed] = JSON.parse(run(root, "npm", "pack", "--json", "--silent", "--pack-destination", work)) as [
    { filename: string; files: Array<{ path: string }> }
  ]
  const paths = packed.files.map(({ path }) => path)
  expect(
    "npm pack ships built files, and neither sources nor tests",
    paths.includes("dist/package/src/index.d.ts") &&
      !paths.some((path) => /^(src|test)\//.test(path) || (path.startsWith("dist/") && /(?<!\.d)\.ts$/.test(path)))
  )
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", join(work, packed.filename))
  expect("npm installs it in an empty folder", true)

  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const command = join(folder, "node_modules", ".bin", "gateway")
  expect("gateway --version", run(folder, command, "--version").includes(version))

  for (const name of ["gateway", "model-gateway"]) {
    const served = await startGateway({ command: ["npx", "--no-install", name, "serve"], folder: mkdtempIn(folder) })
    try {
      const answers = await askEveryWay(served.url, served.key, "Hello!")
      expect(`npx ${name} serve answers`, Object.values(answers).every(Boolean))
    } finally {
      // npx keeps a SIGTERM to itself: the gateway is told, and npx ends with it.
      process.kill(youngestBelow(served.pid), "SIGTERM")
      expect(`npx ${name} serve ends with 0`, (await served.exited) === 0)
      await served.dispose()
    }
  }

  writeFileSync(join(folder, "consumer.ts"), consumer)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
  run(folder, join(root, "node_modules", ".bin", "tsc"), "-p", folder)
  expect("its types compile under strict", true)

  const wrong = "wrong.ts"
  copyFileSync(join(root, "test/embedding/wrong.ts.txt"), join(folder, wrong))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [wrong] }))
  const compiler = Bun.spawnSync([join(root, "node_modules", ".bin", "tsc"), "-p", folder], { cwd: folder })
  const kept = join(root, "test/embedding/wrong.tsc.txt")
  if (process.argv.includes("--write")) writeFileSync(kept, compiler.stdout)
  expect(
    "a part of the wrong kind and one that is no part do not compile, as test/embedding/wrong.tsc.txt has it",
    compiler.exitCode !== 0 && compiler.stdout.toString() === readFileSync(kept, "utf8")
  )

  for (const name of exampleTests) {
    copyFileSync(join(root, "examples", name), join(folder, name))
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", "--timeout", "60000", name], { cwd: folder })
    if (exitCode !== 0) console.error(stderr.toString())
    expect(`bun test ${name}`, exitCode === 0)
  }

  const shipped = await startGateway({ command: [command] })
  try {
    const answers = await askEveryWay(shipped.url, shipped.key, "Hello!")
    expect(
      "gateway serves the sandbox",
      Object.values(answers).every((text) => text !== "")
    )
    expect("/console carries its page, scripts and styles", await hasConsole(shipped.url))
    const clip = await renderClip(shipped.url, shipped.key)
    expect("sandbox-video renders a clip on a thread of its own", clip.startsWith("\0\0\0") && clip.includes("ftyp"))
    const document = await fetch(`${shipped.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${shipped.key}` },
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 100, messages: [{ role: "user", content: [pdf] }] })
    })
    expect("a document is read in a process of its own", (await document.text()).includes("a PDF of 2 pages"))
    shipped.signal("SIGTERM")
    expect("SIGTERM ends it with 0", (await shipped.exited) === 0)
  } finally {
    await shipped.dispose()
  }

  copyFileSync(join(root, "examples/embed.ts"), join(folder, "embed.ts"))
  const embedded = await startGateway({ command: [process.execPath, join(folder, "embed.ts")] })
  try {
    const answers = await askEveryWay(embedded.url.replace(/\/$/, ""), embedded.key, "Hello!")
    expect(
      "the embedding example answers through its own upstream",
      Object.values(answers).every((text) => text === "embedded: Hello!")
    )
  } finally {
    await embedded.dispose()
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
