import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { parse } from "yaml"
import { request } from "../request.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "../gatewayHere.ts"

const lines = readFileSync(resolve(import.meta.dirname, "../../gateway.example.yaml"), "utf8").split("\n")

/** The setting that a commented line begins: its name and how far it is indented. */
const commented = (line: string | undefined) => {
  const [, space = "", name] = /^# ( *)([A-Za-z0-9._-]+):(?: |$)/.exec(line ?? "") ?? []
  return name === undefined ? undefined : { name, depth: space.length }
}

interface Block {
  readonly name: string
  /** The numbers of its lines. */
  readonly lines: ReadonlyArray<number>
}

/** A commented line that goes on with the block of a line before: a deeper one. */
const goesOn = (line: string | undefined, depth: number): boolean => {
  const [, space] = /^#( +)[^ ]/.exec(line ?? "") ?? []
  return space !== undefined && space.length - 1 > depth
}

/** Every commented setting, with the lines of its own. */
const blocks: ReadonlyArray<Block> = lines.flatMap((line, at) => {
  const begun = commented(line)
  // A sentence with a colon is no setting: it is alone at its depth, and begins with a capital letter.
  if (begun === undefined || (begun.depth !== 0 && begun.depth !== 2)) return []
  if (begun.depth === 0 && /^[A-Z]/.test(begun.name)) return []
  const own = [at]
  while (goesOn(lines[(own.at(-1) ?? at) + 1], begun.depth)) own.push((own.at(-1) ?? at) + 1)
  return [{ name: begun.name, lines: own }]
})

const upstreams = blocks.find(({ name }) => name === "upstreams")
const [head = 0, ...within] = upstreams?.lines ?? []
const isIn = (some: ReadonlyArray<number>) => (block: Block) => some.includes(block.lines[0] ?? -1)
const ofUpstreams = blocks.filter(isIn(within))
const modelsFrom = lines.indexOf("models:")
const modelsTo = lines.indexOf("", modelsFrom)
const ofModels = blocks.filter(({ lines: [first = 0] }) => first > modelsFrom && first < modelsTo)
/** True for a setting within a commented one, which is uncommented with it. */
const isWithin = (block: Block) => blocks.some((one) => one !== block && isIn(one.lines)(block))
const others = blocks.filter((block) => block !== upstreams && !isWithin(block) && !ofModels.includes(block))

const textOf = (some: ReadonlyArray<number>) => some.map((at) => lines[at] ?? "").join("\n")
/** The upstreams that the block of a model names. */
const named = (model: Block) =>
  ofUpstreams.filter(({ name }) =>
    new RegExp(`[: ]${name}(?:$|[ ,])`).test(textOf(model.lines).replaceAll(/ #.*/g, ""))
  )

/** The file with these lines uncommented, and with a key that has a balance. */
const uncommented = (...some: ReadonlyArray<ReadonlyArray<number>>): string => {
  const open = new Set(some.flat())
  const text = lines.map((line, at) => (open.has(at) ? line.replace(/^# ?/, "") : line)).join("\n")
  const key = `  - { name: payer, secret: "${payer}", balance_usd: 5 }`
  return open.has(keys?.lines[0] ?? -1) ? text.replace(/^keys:$/m, `keys:\n${key}`) : `${text}\nkeys:\n${key}\n`
}
const payer = "payer-secret-0123456789-0123456789"
const keys = blocks.find(({ name }) => name === "keys")

/** A value for every variable that the file names. */
const env = {
  ...Object.fromEntries(
    [...lines.join("\n").matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `value-of-${name}-0123456789`])
  ),
  ALERTS_SECRET: `whsec_${btoa("a secret of thirty-two characters")}`
}

const folders: Array<string> = []
const folderWith = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-example-"))
  folders.push(folder)
  writeFileSync(join(folder, "gateway.yaml"), text)
  writeFileSync(join(folder, "prices.yaml"), "gpt-5: { input: 1.25, output: 10 }\n")
  for (const [from, to] of [
    ["second.crt", "chain.pem"],
    ["second.key", "key.pem"]
  ] as const)
    copyFileSync(resolve(import.meta.dirname, "../http/certificates", from), join(folder, to))
  return folder
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

describe("gateway.example.yaml", () => {
  it("has a model for each of its upstreams", () => {
    expect(ofUpstreams.length).toBeGreaterThan(2)
    expect(ofUpstreams.filter((one) => !ofModels.some((model) => named(model).includes(one)))).toEqual([])
  })

  it.each(others)("passes `gateway check` with $name uncommented alone", async (block) => {
    const text = uncommented(block.lines)
    const { code, err } = await runCommand(folderWith(text), ["check"], env)
    expect([code, err]).toEqual([0, ""])
  })

  const chat = fakeUpstream("openai-chat")
  const fakes = {
    "anthropic-messages": fakeUpstream("anthropic-messages"),
    "openai-responses": fakeUpstream("openai-responses"),
    "openai-chat": chat
  }
  const ark = fakeArk()
  afterAll(() => Promise.all([...Object.values(fakes), ark].map((fake) => fake.stop())))

  it.each(ofModels)(
    "passes it with the model $name and its upstreams, which answer a caller with a balance",
    async (model) => {
      const text = uncommented([head], ...named(model).map(({ lines }) => lines), model.lines)
      const { code, err, out } = await runCommand(folderWith(text), ["check"], env)
      expect([code, err]).toEqual([0, ""])
      expect(out).toContain(model.name)
      const config = parse(text)
      for (const upstream of Object.values<Record<string, unknown>>(config.upstreams)) {
        const protocol = String(upstream["protocol"])
        upstream["base_url"] =
          protocol === "ark-video"
            ? ark.baseUrl
            : protocol === "anthropic-messages"
              ? fakes[protocol].url
              : `${protocol === "openai-responses" ? fakes[protocol].url : chat.url}/v1`
        if (protocol === "ark-video") upstream["api_key"] = arkKey
      }
      config.server.port = 0
      const gateway = await startGateway({
        folder: folderWith(JSON.stringify(config)),
        env: { ...env, GATEWAY_PORT: "0" }
      })
      const isVideo = named(model).some(({ name }) => name === "ark")
      const body = isVideo
        ? { model: model.name, content: [{ type: "text", text: "A boat" }], duration: 4, resolution: "480p" }
        : { model: model.name, max_tokens: 50, messages: [{ role: "user", content: "play:text" }] }
      const path = isVideo ? "/api/v3/contents/generations/tasks" : "/v1/messages"
      const answer = await request(gateway, path, { key: payer, body })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(isVideo ? "cgt-" : "Hello")])
      await gateway.dispose()
    }
  )
})
