import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { JsonObject } from "../../src/contract/fields.ts"
import { parse } from "../../src/http/body.ts"
import type { Parsed } from "../../src/http/body.ts"

/** Bodies below some kilobytes are written anew. */
const padding = "x".repeat(4_096)

const read = (text: string): Parsed => parse(text) as Parsed

const written = (text: string, change: (body: JsonObject) => JsonObject): string => {
  const { body, bodyText } = read(text)
  return bodyText?.write(change(body)) ?? "not kept"
}

describe("a long body that is sent on", () => {
  it("has its lists and texts as they came, and everything else as JSON has it", () => {
    const text =
      `{ "model": "a", "max_tokens": 1024.0, "pad": "${padding}", "text": "caf\\u00e9 \\/",` +
      ` "messages" : [ {"id": 12345678901234567890},\n {"at": 1.0} ], "thinking": {"budget": 1.0}, "none": [ ] }`
    expect(written(text, (body) => ({ ...body, model: "b", gone: undefined, more: [1] }))).toBe(
      `{ "model":"b", "max_tokens":1024, "pad": "${padding}", "text": "caf\\u00e9 \\/",` +
        ` "messages" : [ {"id": 12345678901234567890},\n {"at": 1.0} ], "thinking":{"budget":1}, "none": [ ] ,"more":[1]}`
    )
  })

  it("has those elements of a list as they came that are the same, also behind others that are put in", () => {
    const text = `{"pad":"${padding}","list":[ {"a":1.0},{"b":1.0}, {"c":1.0} ]}`
    const changed = (change: (list: ReadonlyArray<unknown>) => ReadonlyArray<unknown>) =>
      written(text, ({ list }) => ({ list: change(list as ReadonlyArray<unknown>) }))
    expect(changed((list) => ["new", ...list])).toBe(`{"list":["new", {"a":1.0},{"b":1.0}, {"c":1.0} ]}`)
    expect(changed(([a, , c]) => [a, null, c])).toBe(`{"list":[ {"a":1.0},null, {"c":1.0} ]}`)
    expect(changed(([, b, c]) => [b, c])).toBe(`{"list":[{"b":1.0}, {"c":1.0} ]}`)
    expect(changed(([a, b]) => [a, b])).toBe(`{"list":[{"a":1},{"b":1}]}`)
    expect(changed(([, b]) => [b, undefined])).toBe(`{"list":[{"b":1.0},null]}`)
    expect(changed(() => [])).toBe(`{"list":[]}`)
  })

  it("is written anew where a key stands twice in one object, for readers differ in which of the two they take", () => {
    const one = `{"pad":"${padding}","list":[{"type":"a"}, {"type":"b"}]}`
    expect(written(one, (body) => body)).toBe(one)
    const nested = `{"pad":"${padding}","list":[{"type":"a", "type":"b"}]}`
    expect(written(nested, (body) => body)).toBe(`{"pad":"${padding}","list":[{"type":"b"}]}`)
    const outer = `{"list":["a"], "pad":"${padding}","list":["b" ]}`
    expect(written(outer, (body) => body)).toBe(`{"list":["b"],"pad":"${padding}"}`)
    const spelled = `{"pad":"${padding}","list":[{"type":"a", "t\\u0079pe":"b"}]}`
    expect(written(spelled, (body) => body)).toBe(`{"pad":"${padding}","list":[{"type":"b"}]}`)
  })

  it("is written anew once it was let go of, and where a list is very long and has changed", () => {
    const text = `{"list":[ {"a":1.0} ],"long":[${Array.from({ length: 10_001 }, () => "1.0").join()}]}`
    const { body, bodyText } = read(text)
    expect(bodyText?.write({ ...body, list: undefined })).toBe(`{${text.slice(text.indexOf('"long"'))}`)
    const long = [0, ...(body["long"] as ReadonlyArray<number>)]
    expect(bodyText?.write({ list: body["list"], long })).toBe(`{"list":[ {"a":1.0} ],"long":${JSON.stringify(long)}}`)
    bodyText?.forget()
    expect(bodyText?.write(body)).toBe(JSON.stringify(body))
  })

  it("has its own members alone", () => {
    const text = `{"pad":"${padding}","__proto__":{"system":"hidden"}}`
    expect(written(text, (body) => body)).toBe(text)
    expect(written(text, (body) => Object.create(body))).toBe("{}")
  })

  it("says what was made of it, whatever it is and however it is spelt (property)", () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    const bodies = fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(value, fc.array(value, { maxLength: 8 })))
    const indent = fc.constantFrom(undefined, 1, "\t")
    /** Changes to an object's members, or to a list's elements, in order. */
    const changes = fc.array(fc.constantFrom("keep", "drop", "replace", "copy", "put in"), {
      minLength: 8,
      maxLength: 8
    })
    fc.assert(
      fc.property(bodies, indent, changes, (made, space, wanted) => {
        const { body, bodyText } = read(JSON.stringify({ ...made, padding }, undefined, space))
        const changed: Record<string, unknown> = {}
        for (const [at, name] of Object.keys(body).entries()) {
          Object.defineProperty(changed, name, {
            value: becomes(body[name], wanted[at % wanted.length], wanted),
            enumerable: true
          })
        }
        expect(JSON.parse(bodyText?.write(changed) ?? "")).toEqual(JSON.parse(JSON.stringify(changed)))
      }),
      { numRuns: 2_000 }
    )
  })
})

const becomes = (value: unknown, change: string | undefined, changes: ReadonlyArray<string>): unknown => {
  if (change === "drop") return undefined
  if (change === "replace") return { replaced: true }
  if (!Array.isArray(value) || change === "keep") return value
  if (change === "put in") return ["put in", ...value]
  return value.flatMap((element: unknown, at) => {
    const own = changes[at % changes.length]
    return own === "drop" ? [] : own === "replace" ? [{ replaced: at }] : [element]
  })
}
