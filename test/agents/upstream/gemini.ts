import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { geminiComplaint } from "../../upstreams/fakes/geminiRules.ts"
import { callSignature, textSignature } from "../../upstreams/fakes/geminiSignatures.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { Step } from "./plan.ts"
import { words } from "./frames.ts"
import { plan } from "./plan.ts"

type Any = Asked["body"]

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

/** The conversation as the plan reads it: in chat's form. */
const asChat = ({ contents, tools }: Any): Any => ({
  messages: list(contents).flatMap(({ parts, role }) =>
    list(parts).flatMap(({ functionResponse, text }) => {
      if (functionResponse !== undefined) {
        const { error, output } = functionResponse.response
        return [{ role: "tool", content: output ?? error }]
      }
      return text === undefined ? [] : [{ role: role === "model" ? "assistant" : "user", content: text }]
    })
  ),
  tools: list(tools).flatMap(({ functionDeclarations }) =>
    list(functionDeclarations).map(({ name }) => ({ type: "function", function: { name } }))
  )
})

const partsOf = (step: Step): ReadonlyArray<JsonObject> => {
  const thought = { text: spoken.thought, thought: true }
  if (step.type === "say") {
    const signed = { text: "", thoughtSignature: textSignature(step.text) }
    return [thought, ...words(step.text).map((text) => ({ text })), signed]
  }
  const args = JSON.parse(step.input) as JsonObject
  const { name, turn } = step
  return [thought, { functionCall: { id: `call${turn}`, name, args }, thoughtSignature: callSignature(name, args) }]
}

/** Google's API with a model that does what it is told. It refuses what is malformed, and signatures in a wrong place. */
export const fakeGemini = () =>
  fakeUpstream("gemini", {
    answer: ({ body, path }) => {
      const [, model = "", method] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? []
      if (method === undefined) return undefined
      const wrong = geminiComplaint(body, model)
      if (wrong !== undefined) {
        const error = { code: 400, status: "INVALID_ARGUMENT", message: `fake upstream: ${wrong}` }
        return Response.json({ error }, { status: 400 })
      }
      const parts = partsOf(plan("openai-chat", asChat(body)))
      const frame = (some: ReadonlyArray<JsonObject>, finishReason?: string) => ({
        candidates: [{ index: 0, content: { role: "model", parts: some }, ...(finishReason && { finishReason }) }],
        usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 28 },
        modelVersion: model,
        responseId: crypto.randomUUID()
      })
      if (method === "generateContent") return Response.json(frame(parts, "STOP"))
      const frames = [...parts.map((part) => frame([part])), frame([], "STOP")]
      const events = frames.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`)
      return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } })
    }
  })
