import { strict as assert } from "node:assert"
import { pdf } from "../../../sandbox/files.ts"
import { pixel } from "../../../upstreams/conversations.ts"
import { callSignature } from "../../../upstreams/fakes/geminiSignatures.ts"
import { spoken } from "../../../upstreams/fakes/scenarios.ts"
import type { Answer } from "../callers/Ask.ts"
import { ask, broken, isNative } from "./Case.ts"
import type { Case, Cell } from "./Case.ts"

const said = { type: "text", text: spoken.text }
const document = Buffer.from(pdf(["The plan is simple"])).toString("base64")
const schema = {
  type: "object",
  properties: { the_city: { type: "string" } },
  required: ["the_city"],
  additionalProperties: false
}

/** The wish as lost, if it is not in the request to the upstream. */
const unless = (cell: Cell, told: (sent: string) => boolean, wish: string): string | undefined =>
  cell.sent === undefined || told(cell.sent()) ? undefined : wish

/** Some servers return unrequested, unreadable reasoning. */
const visible = (answer: Answer) => answer.items.filter(({ text, type }) => type !== "reasoning" || text !== "")

const calls = (answer: Answer) =>
  answer.items.flatMap((item) => (item["type"] === "call" ? [{ ...item, id: String(item["id"]) }] : []))

const call = (city: string) => ({ name: "get_weather", input: { city } })

const textOf = (answer: Answer) =>
  answer.items
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("")

/** Every row of the table. */
export const cases: ReadonlyArray<Case> = [
  {
    name: "text",
    scenario: "text",
    run: async (cell) => {
      const answer = await ask(cell, "text")
      assert.deepEqual([visible(answer), answer.ended], [[said], "stop"])
      return { answer }
    }
  },
  {
    name: "usage",
    scenario: "usage",
    run: async (cell) => {
      const answer = await ask(cell, "text")
      if (cell.sent !== undefined) assert.deepEqual([answer.input, answer.cached, answer.output], [20, 5, 8])
      assert(answer.input > 0 && answer.output > 0, "no usage")
      return { answer }
    }
  },
  {
    name: "tool calls in parallel",
    scenario: "parallel-tools",
    run: async (cell) => {
      const answer = await ask(cell, "parallel-tools", { tools: true })
      assert.deepEqual(
        visible(answer).map(({ input, name }) => ({ name, input })),
        [call(spoken.city), call(spoken.other)]
      )
      const [one, other] = calls(answer)
      assert(one?.id !== "" && other?.id !== "" && one?.id !== other?.id, "ids")
      assert.equal(answer.ended, "tools")
      return { answer }
    }
  },
  {
    name: "results of tools, with an error and an image",
    scenario: "parallel-tools",
    run: async (cell) => {
      const first = await ask(cell, "parallel-tools", { tools: true })
      const [one, other] = calls(first)
      const answer = await ask(cell, "text", {
        tools: true,
        behind: {
          asked: "play:parallel-tools",
          answer: first,
          results: [
            { id: one?.id ?? "", text: "no such city", isError: true },
            { id: other?.id ?? "", text: "sunny play:text", image: pixel }
          ]
        }
      })
      assert.equal(textOf(answer), spoken.text)
      const isTold = (sent: string) =>
        sent.includes("no such city") &&
        // A chat message of a tool holds text, and no word for an error.
        (cell.family === "chat" || sent.includes(pixel)) &&
        (cell.family !== "messages" || /"is_error":true|Error|"error":/.test(sent))
      return { answer, lost: unless(cell, isTold, "a result") }
    }
  },
  {
    name: "reasoning",
    scenario: "reasoning",
    run: async (cell) => {
      const answer = await ask(cell, "reasoning", { thinks: true })
      assert.deepEqual(
        answer.items.map(({ text, type }) => ({ type, text })),
        [{ type: "reasoning", text: spoken.thought }, said]
      )
      // A chat upstream's own form of it is its text.
      if (cell.family !== "chat" || !isNative(cell)) assert.match(String(answer.items[0]?.["opaque"]), /.{8}/)
      return { answer }
    }
  },
  {
    name: "reasoning, replayed in a tool loop",
    scenario: "reasoning-tools",
    run: async (cell) => {
      const asked = "play:reasoning-tools"
      const first = await ask(cell, "reasoning-tools", { thinks: true, tools: true })
      const results = calls(first).map(({ id }) => ({ id, text: "sunny play:text" }))
      assert.equal(results.length, 1)
      const behind = { asked, answer: first, results }
      const answer = await ask(cell, "text", { thinks: true, tools: true, behind })
      assert.equal(textOf(answer), spoken.text)
      const own = {
        "anthropic-messages": spoken.signature,
        "openai-responses": spoken.encrypted,
        "openai-chat": spoken.thought,
        gemini: callSignature("get_weather", { city: spoken.city })
      }
      return { answer, lost: unless(cell, (sent) => sent.includes(own[cell.protocol]), "reasoning") }
    }
  },
  {
    name: "web search, with results and citations",
    scenario: "search",
    run: async (cell) => {
      const answer = await ask(cell, "search", { searches: true })
      if (cell.protocol === "openai-chat") {
        assert.equal(textOf(answer), spoken.text)
        return { answer, lost: unless(cell, (sent) => sent.includes("web_search_options"), "search") }
      }
      const search = [
        { type: "search", query: "hello" },
        { type: "found", urls: [spoken.url] }
      ]
      const cited = { ...said, cites: [spoken.url] }
      // Gemini streams the searches after the text. Chat completions have no place for them.
      const isLate = cell.protocol === "gemini" && cell.stream
      const items = isLate ? [cited, ...search] : [...search, cited]
      assert.deepEqual(answer.items, cell.family === "chat" ? [cited] : items)
      return { answer }
    }
  },
  {
    name: "web search, replayed",
    scenario: "search",
    isNone: ({ family, protocol }) => family === "chat" || protocol === "openai-chat",
    run: async (cell) => {
      const first = await ask(cell, "search", { searches: true })
      const behind = { asked: "play:search", answer: first, results: [] }
      const answer = await ask(cell, "text", { searches: true, behind })
      const own = {
        "anthropic-messages": '"encrypted_content":"Eo8BFake"',
        "openai-responses": '"web_search_call"',
        "openai-chat": "",
        // The dialect has no form for an earlier search: its answer goes back alone.
        gemini: spoken.text
      }
      return { answer, lost: unless(cell, (sent) => sent.includes(own[cell.protocol]), "search") }
    }
  },
  {
    name: "cache marks on system text, tools, calls and results",
    scenario: "tools",
    // The dialect has no marks.
    isNone: ({ family }) => family === "responses",
    run: async (cell) => {
      const first = await ask(cell, "tools", { tools: true })
      const results = calls(first).map(({ id }) => ({ id, text: "sunny play:text" }))
      const behind = { asked: "play:tools", answer: first, results }
      const answer = await ask(cell, "text", { tools: true, marks: true, behind })
      assert.deepEqual([results.length, textOf(answer)], [1, spoken.text])
      // Chat completions have marks on texts alone.
      const wanted = cell.family === "chat" ? 1 : 4
      const isMarked = (sent: string) => (sent.match(/"cache_control":|"cachePoint":/g) ?? []).length === wanted
      return { answer, lost: unless(cell, isMarked, "a mark") }
    }
  },
  {
    name: "an image",
    scenario: "image",
    run: async (cell) => {
      const answer = await ask(cell, "text", { image: pixel })
      assert.deepEqual(visible(answer), [said])
      return { answer, lost: unless(cell, (sent) => sent.includes(pixel), "image") }
    }
  },
  {
    name: "a PDF",
    scenario: "document",
    run: async (cell) => {
      const answer = await ask(cell, "text", { document })
      assert.deepEqual(visible(answer), [said])
      const isTold = (sent: string) => sent.includes("plan.pdf") && /The plan is simple|application\/pdf/.test(sent)
      return { answer, lost: unless(cell, isTold, "document") }
    }
  },
  {
    name: "structured output",
    scenario: "json",
    run: async (cell) => {
      const answer = await ask(cell, "json", { schema })
      assert.deepEqual(JSON.parse(textOf(answer)), { the_city: spoken.city })
      return { answer, lost: unless(cell, (sent) => /"json_schema"|"responseJsonSchema"/.test(sent), "schema") }
    }
  },
  {
    name: "a stop sequence",
    scenario: "stop",
    isNone: ({ family }) => family === "responses",
    run: async (cell) => {
      const answer = await ask(cell, "stop", { stop: spoken.stop })
      assert.deepEqual([textOf(answer), answer.ended], [spoken.untilStop, "stop"])
      // Gemini does not say that a stop sequence ended the answer.
      if (cell.family === "messages" && cell.protocol !== "gemini") assert.equal(answer.stopSequence, spoken.stop)
      return { answer }
    }
  },
  {
    name: "cut by its bound",
    scenario: "max-tokens",
    run: async (cell) => {
      const answer = await ask(cell, "max-tokens")
      assert.deepEqual([visible(answer), answer.ended], [[said], "max"])
      return { answer }
    }
  },
  {
    name: "a refusal",
    scenario: "refusal",
    run: async (cell) => {
      const answer = await ask(cell, "refusal")
      assert.deepEqual([visible(answer), answer.ended], [[{ type: "refusal", text: spoken.refusal }], "refusal"])
      return { answer }
    }
  },
  {
    name: "an error before the first word",
    scenario: "error-before",
    run: async (cell) => {
      const { error } = await broken(cell, "error-before")
      assert.equal(statusOf(error), 400)
      if (cell.sent !== undefined) assert.match(String(error), /messages: too few of them/)
      return {}
    }
  },
  {
    name: "an error within",
    scenario: "error-after",
    run: async (cell) => {
      const { error, text } = await broken(cell, "error-after")
      assert.equal(text, cell.stream ? spoken.text : "")
      // Nothing of the upstream's inner life.
      assert.doesNotMatch(String(error), /10\.0\.0\.3/)
      checkBroken(cell, error)
      return {}
    }
  },
  {
    name: "an answer that breaks off",
    scenario: "cut",
    run: async (cell) => {
      const { error, text } = await broken(cell, cell.sent === undefined ? "cut" : "text", "breaks:off")
      assert(spoken.text.startsWith(text) && (text !== "") === cell.stream, `said ${JSON.stringify(text)}`)
      checkBroken(cell, error)
      return {}
    }
  }
]

const statusOf = (error: unknown) => (error instanceof Error && "status" in error ? error.status : undefined)

const checkBroken = (cell: Cell, error: unknown) => {
  assert.match(String(error), /upstream/)
  if (!cell.stream) assert.equal(statusOf(error), 500)
}
