import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { beforeAll, describe, expect, it } from "vitest"
import { GatewayApi } from "../../src/Api.ts"
import { docsPages } from "../../src/http/docs.ts"
import { endpoints } from "./endpoints.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a document whose shape is what is tested
type Json = { readonly [key: string]: any }

const pages = docsPages(GatewayApi)
const read = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
  pages[path]!(new Request(`http://gateway${path}`, { headers }))

let document: Json
beforeAll(async () => {
  document = (await (await read("/openapi.json")).json()) as Json
})

const operations = (): ReadonlyArray<readonly [string, Json]> =>
  Object.entries(document["paths"] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => [`${method} ${path}`, operation as Json] as const)
  )

/** The fields of a request's body. */
const propertiesOf = (requestBody: Json | undefined): Json => {
  const schema: Json = requestBody?.["content"]?.["application/json"]?.schema ?? {}
  const name =
    String(schema["$ref"] ?? "")
      .split("/")
      .at(-1) ?? ""
  return (document["components"].schemas[name] ?? schema)["properties"] ?? {}
}

describe("/openapi.json", () => {
  it("is valid OpenAPI 3.1, and its schemas are valid JSON Schema", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>)
    expect([valid, errors]).toEqual([true, undefined])
    const ajv = new Ajv2020({ strict: false, formats: { uri: true } })
    ajv.addSchema(document, "openapi")
    for (const name of Object.keys(document["components"].schemas)) {
      expect(ajv.getSchema(`openapi#/components/schemas/${name}`), name).toBeDefined()
    }
  })

  it("has every endpoint of the contract", () => {
    expect(operations().map(([, { operationId }]) => operationId)).toEqual(endpoints.map(({ id }) => id))
  })

  it("asks for a key wherever the gateway does", () => {
    expect(Object.keys(document["components"].securitySchemes)).toEqual(["bearer", "apiKey"])
    expect(document["security"]).toEqual([{ bearer: [] }, { apiKey: [] }])
    for (const [name, { operationId, security }] of operations()) {
      const { isPublic } = endpoints.find(({ id }) => id === operationId)!
      expect([name, security]).toEqual([name, isPublic ? [] : undefined])
    }
  })

  it("says what each endpoint is for, and tags it with a titled group", () => {
    const tags = document["tags"].map(({ name }: Json) => name)
    for (const { description, name } of document["tags"]) {
      expect([name, description]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/\.$/)])
    }
    for (const [name, { summary, tags: own }] of operations()) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].*[^.]$/)])
      expect(tags).toEqual(expect.arrayContaining(own))
    }
  })

  it("documents streams and request ids", () => {
    for (const [name, { responses }] of operations()) {
      for (const response of Object.values(responses as Json) as ReadonlyArray<Json>) {
        expect([name, Object.keys(response["headers"])]).toEqual([name, expect.arrayContaining(["x-request-id"])])
      }
    }
    const streams = operations().filter(([, { responses }]) => responses["200"].content["text/event-stream"])
    const asked = operations().filter(([, { requestBody }]) =>
      ["stream", "stream_format"].some((name) => name in propertiesOf(requestBody))
    )
    const names = ["get /v1/responses/{id}", "get /v1/events", ...asked.map(([name]) => name)]
    expect(streams.map(([name]) => name).toSorted()).toEqual(names.toSorted())
    // What one event is, as validators of this version of OpenAPI read it.
    for (const [name, { responses }] of streams) {
      const { properties, required, type } = responses["200"].content["text/event-stream"].schema
      const named = /post .*\/(?:completions|speech|transcriptions)$/.test(name) ? [] : ["event"]
      expect([name, type, Object.keys(properties), required]).toEqual([
        name,
        "object",
        [...named, "data"],
        [...named, "data"]
      ])
    }
  })

  it("says of every text in a path or a query that it has no NUL", () => {
    const texts = (schema: Json): ReadonlyArray<Json> => [
      ...(schema["type"] === "string" ? [schema] : []),
      ...(schema["anyOf"] ?? []).flatMap(texts),
      ...(schema["items"] === undefined ? [] : texts(schema["items"]))
    ]
    for (const [name, { parameters }] of operations()) {
      for (const { name: parameter, schema } of (parameters ?? []) as ReadonlyArray<{ name: string; schema: Json }>) {
        for (const { enum: values, format, pattern } of texts(schema)) {
          const isAny =
            values === undefined && format === undefined && (pattern === undefined || RegExp(pattern).test("\0"))
          expect([name, parameter, isAny]).toEqual([name, parameter, false])
        }
      }
    }
  })

  it("describes every field and parameter", () => {
    const undescribed: Array<string> = []
    const visit = (schema: Json | undefined, at: string): void => {
      if (schema === undefined) return
      for (const [name, field] of Object.entries((schema["properties"] ?? {}) as Json)) {
        // A field with one value says all there is to say.
        if (!isDescribed(field) && field.enum?.length !== 1) undescribed.push(`${at}.${name}`)
        visit(field, `${at}.${name}`)
      }
      for (const member of schema["anyOf"] ?? []) visit(member, at)
      visit(schema["items"], `${at}[]`)
      if (typeof schema["additionalProperties"] === "object") visit(schema["additionalProperties"], `${at}{}`)
    }
    const isDescribed = (schema: Json): boolean =>
      typeof schema["description"] === "string" ||
      (typeof schema["$ref"] === "string" &&
        isDescribed(document["components"].schemas[schema["$ref"].replace("#/components/schemas/", "")]))
    for (const [name, schema] of Object.entries(document["components"].schemas as Json)) visit(schema, name)
    for (const [name, { parameters, requestBody, responses }] of operations()) {
      for (const parameter of parameters) {
        if (parameter.description === undefined) undescribed.push(`${name} ?${parameter.name}`)
      }
      visit(requestBody?.content["application/json"].schema, `${name} body`)
      for (const [status, response] of Object.entries(responses as Json)) {
        visit(response.content?.["application/json"]?.schema, `${name} ${status}`)
      }
    }
    expect([...new Set(undescribed)]).toEqual([])
  })

  it("lets unknown fields be", () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
  })
})

describe("/docs", () => {
  it("is a small index of groups, each a page with what it needs, and loads nothing from elsewhere", async () => {
    const html = await (await read("/docs")).text()
    expect(html).toContain("<title>Model Gateway</title>")
    expect(html.length).toBeLessThan(30_000)
    for (const [name] of operations()) {
      const [method = "", path = ""] = name.split(" ")
      expect(html).toContain(`<b>${method.toUpperCase()}</b> ${path}</code>`)
    }
    const groups = [...new Set([...html.matchAll(/href="(\/docs\/[a-z-]+)/g)].map(([, path = ""]) => path))]
    expect(groups).toHaveLength(document["tags"].length)
    const shown: Array<string> = []
    for (const group of groups) {
      const page = await (await read(group)).text()
      const [, part = ""] = /<script id="api-reference"[^>]*>(.*?)<\/script>/s.exec(page) ?? []
      const own = JSON.parse(part) as Json
      expect(own["tags"]).toHaveLength(1)
      shown.push(
        ...Object.entries(own["paths"] as Json).flatMap(([path, item]) =>
          Object.keys(item as Json).map((method) => `${method} ${path}`)
        )
      )
      for (const [, name = ""] of part.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        expect(own["components"]["schemas"]).toHaveProperty([name])
      }
      expect(page).toContain('<script src="/docs/reference.js">')
      expect(page.length).toBeLessThan(160_000)
      expect(page).not.toMatch(/<(script|link|img)[^>]+(src|href)="http/)
    }
    expect(shown.sort()).toEqual(
      operations()
        .map(([name]) => name)
        .sort()
    )
    expect((await (await read("/docs/reference.js")).text()).length).toBeGreaterThan(1_000_000)
  })

  it("is compressed for clients that accept it", async () => {
    const script = "/docs/reference.js"
    const [plain, packed] = [await read(script), await read(script, { "accept-encoding": "deflate, gzip;q=0.8, br" })]
    expect([plain.headers.has("content-encoding"), packed.headers.get("content-encoding")]).toEqual([false, "gzip"])
    const [whole, bytes] = [await plain.text(), await packed.arrayBuffer()]
    expect(bytes.byteLength).toBeLessThan(whole.length / 3)
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes)) === whole).toBe(true)
    for (const encodings of ["", "br", "gzip;q=0", "gzip; q=0.0, br", "notgzip"]) {
      const { headers } = await read(script, { "accept-encoding": encodings })
      expect([encodings, headers.get("content-encoding")]).toEqual([encodings, null])
    }
  })

  it.each(["/docs", "/docs/reference.js", "/openapi.json", "/llms.txt"])(
    "at %s is not sent to clients that have it",
    async (path) => {
      const { headers } = await read(path)
      const etag = headers.get("etag")!
      expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["no-cache", "accept-encoding"])
      for (const known of [etag, etag.replace("W/", ""), `"another", ${etag}`, "*"]) {
        const answer = await read(path, { "if-none-match": known })
        expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", etag])
      }
      expect((await read(path, { "if-none-match": '"another"' })).status).toBe(200)
    }
  )
})

describe("/llms.txt", () => {
  it("has a title, a sentence, and a line for each endpoint", async () => {
    const text = await (await read("/llms.txt")).text()
    expect(text).toMatch(/^# Model Gateway\n\n> One address [^\n]+\.\n\n/)
    for (const [name] of operations()) {
      const [method = "", path = ""] = name.split(" ")
      expect(text).toContain(`- \`${method.toUpperCase()} ${path}\`: `)
    }
  })
})
