import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spawnSync, TOML, Transpiler, which } from "bun"
import { Effect, Either, Schema } from "effect"
import { parseDocument } from "yaml"
import { readDocument } from "../../src/config/document.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { PricesFile } from "../../src/config/sections/Model.ts"
import { secretVariables } from "../../src/config/secretVariables.ts"
import { Variables } from "../../src/config/variables.ts"
import { documents, isThere, read } from "../docs/documents.ts"
import { blocksElsewhere, elsewhere } from "./elsewhere.ts"
import type { Snippet } from "./snippets.ts"
import { commandsOf, snippetsOf } from "./snippets.ts"
import { startWritten } from "./written.ts"
import { request } from "../request.ts"

const pages = await Promise.all(documents.map(async (page) => [page, await read(page)] as const))
const snippets = pages.flatMap(([page, text]) => snippetsOf(page, text))
const isElsewhere = (command: string) => elsewhere.some(([begins]) => begins.test(command))

type World = Awaited<ReturnType<typeof startWritten>>

/** What a page only hints at, made in its world. */
const hintedIn = async (world: World): Promise<ReadonlyArray<readonly [hinted: string, id: string]>> => {
  const idOf = async (command: string): Promise<string> => {
    const { out } = await world.shell(`${command} --json`)
    return (JSON.parse(out) as { key: { id: string } }).key.id
  }
  const asked = await request(world.gateway, "/v1/messages", {
    body: { model: "sandbox-text", max_tokens: 5, messages: "Hello!" }
  })
  const video = await request(world.gateway, "/api/v3/contents/generations/tasks", {
    body: { model: "sandbox-video", content: [{ type: "text", text: "[[sandbox: queue=1h]] A cat" }] }
  })
  return [
    ["key_4f…", await idOf("gateway keys create hinted")],
    ["req_…", asked.headers.get("x-request-id") ?? ""],
    ["cgt-…", ((await video.json()) as { id: string }).id]
  ]
}

/** Only a variable that is told to the commands behind it, which have it from here. */
const isSetting = (command: string) => /^(?:export )?[A-Z_]+=\S*$/.test(command)

/** The commands of each page, so that what one made is there for the next; pages where there is nothing to run are left out. */
const shells = pages.flatMap(([page]) => {
  const own = snippets.filter((one) => one.page === page && one.language === "sh")
  const commands = own.flatMap(({ code }) => commandsOf(code))
  const run = commands.filter((one) => !isElsewhere(one) && !isSetting(one))
  return run.length === 0 ? [] : [[page, run] as const]
})

it.each(shells)("%s: its commands end well", async (page, commands) => {
  const world = await startWritten()
  try {
    const hinted = await hintedIn(world)
    for (const command of commands) {
      const text = hinted.reduce((written, [hint, id]) => written.replaceAll(hint, id), command)
      const { code, err, out } = await world.shell(text)
      expect([page, text, code, code === 0 ? "" : err]).toEqual([page, text, 0, ""])
      if (text.startsWith("curl"))
        expect([text, out]).toEqual([text, expect.not.stringMatching(/^\{(?:"type":)?"error"/)])
    }
  } finally {
    await world.dispose()
  }
})

const programs = snippets.filter(({ language, page }) => language === "ts" && !isShownElsewhere(page, language))

function isShownElsewhere(page: string, language: string): boolean {
  return blocksElsewhere.some((one) => one[0] === page && one[1] === language)
}

describe("programs", () => {
  let world: World
  beforeAll(async () => {
    world = await startWritten()
  })
  afterAll(() => world.dispose())

  it.each(programs.map((one) => [one.page, one] as const))("%s: end well", async (_, { code }) => {
    expect(await world.script(code)).toMatchObject({ code: 0, err: "" })
  })
})

/** Each variable of a block is set, to something long enough for a key. */
const isRead = (text: string) => {
  const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, "k".repeat(24)]))
  return [GatewayFile, PricesFile].some((schema) =>
    Either.isRight(
      Effect.runSync(Effect.either(readDocument("a page", text, { env }, Schema.make<unknown>(schema.ast))))
    )
  )
}

/** Reads a block as its language has it; throws where it can't. */
const wellFormed = (language: string, code: string): void => {
  if (language === "ts") new Transpiler({ loader: "ts" }).transformSync(code)
  if (language === "toml") TOML.parse(code)
  if (language === "yaml" && parseDocument(code).errors.length > 0) throw new Error("it is no YAML")
  // A line each, or one in all.
  if (language === "json") for (const one of code.startsWith('{"') ? code.trim().split("\n") : [code]) JSON.parse(one)
  if (language === "python" && python !== null) {
    const { exitCode, stderr } = spawnSync([python, "-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
      stdin: Buffer.from(code)
    })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }
}

const python = which("python3")

const other = snippets.filter(({ language }) => language !== "sh")

describe.each(other.map((one) => [`${one.page}, ${one.heading} (${one.language})`, one] as const))(
  "%s",
  (_, { code, language, page }: Snippet) => {
    it("is well-formed", () => {
      expect(() => wellFormed(language, code)).not.toThrow()
    })

    it("is what it says, or shown elsewhere", () => {
      if (blocksElsewhere.some((one) => one[0] === page && one[1] === language && one[2].test(code))) return
      if (language === "yaml") expect(isRead(code)).toBe(true)
      else expect(language).toBe("ts")
    })
  }
)

describe("what is shown elsewhere", () => {
  it("is there, and is needed", () => {
    const commands = snippets.filter(({ language }) => language === "sh").flatMap(({ code }) => commandsOf(code))
    expect(elsewhere.filter(([begins]) => !commands.some((one) => begins.test(one)))).toEqual([])
    const named = [...elsewhere.map(([, shown]) => shown), ...blocksElsewhere.map((one) => one[3])]
    expect(named.filter((path) => !isThere(path))).toEqual([])
  })
})

describe("variables that the pages name", () => {
  it("are the gateway's, or its clients'", () => {
    const files = secretVariables.map((name) => `${name}_FILE`)
    const known = new Set([...Object.keys(Variables.fields), ...files, "GATEWAY_KEY", "GATEWAY_URL"])
    const unknown = pages.flatMap(([page, text]) =>
      [...text.matchAll(/\bGATEWAY_[A-Z_]*[A-Z]\b(?!…)/g)].flatMap(([name]) =>
        known.has(name) ? [] : [`${page}: ${name}`]
      )
    )
    expect([...new Set(unknown)]).toEqual([])
  })
})
