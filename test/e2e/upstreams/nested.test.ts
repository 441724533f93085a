import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { ChatApi } from "../../../src/chat/Api.ts"
import { MessagesApi } from "../../../src/messages/Api.ts"
import { ResponsesApi } from "../../../src/responses/Api.ts"
import { documented } from "../../contract/documented.ts"
import { request } from "../../request.ts"
import { chat } from "./nested/chat.ts"
import { declaredFields, fieldsIn, without } from "./nested/fields.ts"
import { messages } from "./nested/messages.ts"
import { responses } from "./nested/responses.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({ fake: { strict: false } })
})
afterAll(() => world.dispose())

const documents = {
  messages: documented(MessagesApi, "/v1/messages").schemas,
  responses: documented(ResponsesApi, "/v1/responses").schemas,
  chat: documented(ChatApi, "/v1/chat/completions").schemas
}

const ask = async (path: string, protocol: (typeof protocols)[number], body: unknown) => {
  const { asked } = world.fakes[protocol]
  const before = asked.length
  const response = await request(world.gateway, path, { body: { model: models[protocol], ...(body as object) } })
  const text = await response.text()
  const named = response.headers.get("x-gateway-adapted") ?? ""
  return {
    status: response.status,
    text,
    named,
    sent: asked
      .slice(before)
      .map((one) => one.text)
      .join("")
  }
}

/** True if a field is named, be it for this place or for another one. */
const names = (named: string, place: ReadonlyArray<string>): boolean =>
  named.split(", ").some((name) => place.includes(name) || name.split(/[.[\]]+/).at(-1) === place.at(-1))

describe.each(Object.entries({ messages, responses, chat }))(
  "%s",
  (family, { neutral, own, path, samples, schema }) => {
    const bound = family === "messages" ? { max_tokens: 4_000 } : {}
    const schemas = documents[family as keyof typeof documents]
    const declared = [...declaredFields(schemas, schema)]
    const found = samples.map((sample) => fieldsIn(schemas, schema, { model: "m", ...bound, ...sample }))

    it("has a sample of every optional field in its contract's objects", () => {
      const known = new Set([...found.flat().map(({ name }) => name), ...neutral])
      expect(declared.filter((name) => !known.has(name))).toEqual([])
    })

    describe.each(protocols.filter((protocol) => protocol !== own))("to %s", (protocol) => {
      it.each(samples.map((sample, index) => [index, sample] as const))("sample %i", async (index, sample) => {
        const whole = await ask(path, protocol, { ...bound, ...sample })
        // What an upstream cannot do at all is refused, as is a file that can't be had for one that takes bytes alone.
        if (whole.status === 400) return expect(whole.text).toMatch(/this model|model's upstream|file_url: /)
        expect([whole.status, whole.text]).toEqual([200, whole.text])
        const lost: Array<string> = []
        for (const { name, path: place } of found[index] ?? []) {
          if (neutral.includes(name) || names(whole.named, place)) continue
          const { named, sent, status } = await ask(path, protocol, without({ ...bound, ...sample }, place))
          // A field that others need is one that is read.
          if (status === 200 && sent === whole.sent && named === whole.named) lost.push(name)
        }
        expect(lost).toEqual([])
      })
    })
  }
)
