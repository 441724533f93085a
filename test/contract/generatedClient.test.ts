import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { GatewayApi } from "../../src/Api.ts"
import { openApiDocument } from "../../src/http/openapi.ts"

const root = resolve(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "gateway-types-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (command: ReadonlyArray<string>, input = "") => {
  const child = Bun.spawn([...command], { cwd: root, stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

beforeAll(async () => {
  const generator = join(import.meta.dirname, "generateTypes.ts")
  const types = await run([process.execPath, generator], JSON.stringify(openApiDocument(GatewayApi)))
  expect(types.errors).toBe("")
  writeFileSync(join(folder, "api.d.ts"), types.output)
})

/** What the TypeScript compiler says of bodies, each for its path. */
const compiled = async (bodies: ReadonlyArray<readonly [path: string, body: string]>) => {
  const file = join(folder, "bodies.ts")
  const lines = bodies.map(([path, body], at) => `export const body${at}: Body<"${path}"> = ${body}`)
  writeFileSync(file, [client, ...lines].join("\n"))
  const { output } = await run([
    join(root, "node_modules/.bin/tsc"),
    ..."--noEmit --strict --exactOptionalPropertyTypes --ignoreConfig".split(" "),
    ..."--target esnext --module esnext --moduleResolution bundler --allowImportingTsExtensions".split(" "),
    file
  ])
  return output
}

const client = `import type { paths } from "./api.d.ts"
type Posting<B> = { post: { requestBody: { content: { "application/json": B } } } }
type Body<P extends keyof paths> = paths[P] extends Posting<infer B> ? B : never`

/** The bodies of a page: those of its `curl` lines, and what it gives the official clients. */
const bodiesIn = (page: string): ReadonlyArray<readonly [path: string, body: string]> => {
  const text = readFileSync(join(root, page), "utf8")
  const sent = text.matchAll(/^curl [^\n]*?:8080(\/[^\s'"]+)[^`]*?-d '([^']+)'/gm)
  const given = text.matchAll(/\.(responses\.create|messages\.stream|messages\.create)\((\{[^`]*?\})\)/g)
  return [
    ...[...sent].map(([, path = "", body = ""]) => [path, body] as const),
    ...[...given].map(([, method = "", body = ""]) => [`/v1/${method.split(".")[0]}`, body] as const)
  ]
}

describe("a client generated from /openapi.json", () => {
  it("takes the bodies of README.md and of the sandbox's page as they stand there", async () => {
    const bodies = [...bodiesIn("README.md"), ...bodiesIn("docs/sandbox.md")]
    expect(bodies.map(([path]) => path)).toEqual([
      "/v1/messages",
      "/v1/responses",
      "/v1/messages",
      "/v1/messages",
      "/v1/responses",
      "/api/v3/contents/generations/tasks"
    ])
    expect(await compiled(bodies)).toBe("")
  })

  it("refuses what they must not be", async () => {
    const errors = await compiled([
      ["/v1/messages", '{ model: "m", messages: "Hi" }'],
      ["/v1/responses", '{ model: 1, input: "Hi" }']
    ])
    expect(errors).toContain("max_tokens")
    expect(errors).toMatch(/model|number/)
  })
})
