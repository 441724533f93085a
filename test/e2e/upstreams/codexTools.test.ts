import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { framesOf, wholeOf } from "../../agents/upstream/frames.ts"
import { plan } from "../../agents/upstream/plan.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../../upstreams/fakes/fakeUpstream.ts"
import { connect } from "../../responses/socket/connect.ts"
import { additionalTools, byMcp, bySol, found } from "./codexBodies.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"
import { request } from "../../request.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { answer: obeying },
    yaml: (urls) => {
      const usual = JSON.parse(usualYaml(urls))
      return JSON.stringify({ ...usual, search: { provider: "searxng", base_url: "http://127.0.0.1:1" } })
    }
  })
})
afterAll(() => world.dispose())

/** Each upstream does what it is told: `[[call NAME INPUT]]`. */
const obeying = ({ body, path }: Asked): Response => {
  const name = protocols.find((protocol) => dialects[protocol].path === path)!
  const step = plan(name, body)
  const frames = framesOf[name](step, body.model, false)
  if (body.stream !== true) return Response.json(wholeOf[name](frames, step))
  const { end, named } = dialects[name]
  const events = frames.map(
    (frame) => `${named ? `event: ${String(frame["type"])}\n` : ""}data: ${JSON.stringify(frame)}\n\n`
  )
  return new Response(events.join("") + end, { headers: { "content-type": "text/event-stream" } })
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Any = any

const post = (path: string, body: object) => request(world.gateway, `/v1/responses${path}`, { body })

const framesIn = (text: string): ReadonlyArray<Any> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))

/** The items of an answer, as Codex reads them: when they are done. */
const ask = async (
  body: object,
  stream: boolean
): Promise<{ readonly items: ReadonlyArray<Any>; readonly id: string; readonly adapted: string }> => {
  const response = await post("", { ...body, stream })
  const text = await response.text()
  expect([response.status, response.status === 200 ? "" : text]).toEqual([200, ""])
  const adapted = response.headers.get("x-gateway-adapted") ?? ""
  if (!stream) {
    const whole = JSON.parse(text)
    return { items: whole.output, id: whole.id, adapted }
  }
  const frames = framesIn(text)
  const items = frames.flatMap((frame) => (frame.type === "response.output_item.done" ? [frame.item] : []))
  const last = frames.at(-1)
  expect(last.response.output).toEqual(items)
  return { items, id: last.response.id, adapted }
}

const replayed = (item: Any) => ({ ...item, id: undefined, status: undefined })

const order = (name: string, input: object) => `[[call ${name} ${JSON.stringify(input)}]]`
const code = "text(await tools.exec_command({ cmd: 'cat note.txt' }))"
const sleeping = { duration_ms: 5 }
const solOrders = `Do ${order("functions__exec", { input: code })} and ${order("clock__sleep", sleeping)}`
const searching = { query: "note", limit: 3 }
const mcpOrders = `Do ${order("tool_search", searching)} and ${order("mcp__notes__read_note", { number: 4 })}`

const translated = protocols.filter((protocol) => protocol !== "openai-responses")

describe.each(translated)("on %s", (protocol) => {
  const model = models[protocol]

  it.each([true, false])("Codex calls the tools that an input item brings, streamed: %s", async (stream) => {
    const more: Array<unknown> = []
    const step = () => ask(bySol(model, solOrders, more), stream)
    const first = await step()
    expect(first.items).toMatchObject([
      { type: "custom_tool_call", namespace: "functions", name: "exec", input: code, status: "completed" }
    ])
    expect(first.adapted).not.toMatch(/additional_tools|namespace/)
    const output = [
      { type: "input_text", text: "Script completed\n" },
      { type: "input_text", text: "4711" }
    ]
    more.push(replayed(first.items[0]), { type: "custom_tool_call_output", call_id: first.items[0].call_id, output })
    const second = await step()
    expect(second.items).toMatchObject([
      { type: "function_call", namespace: "clock", name: "sleep", arguments: JSON.stringify(sleeping) }
    ])
    more.push(replayed(second.items[0]), {
      type: "function_call_output",
      call_id: second.items[0].call_id,
      output: "Sleep completed."
    })
    const last = await step()
    expect(last.items).toMatchObject([{ type: "message", content: [{ text: "The tool answered: Sleep completed." }] }])
    const sent = JSON.stringify(world.asked(protocol).body)
    for (const text of ["functions__exec", "functions__wait", "clock__sleep", "4711"]) expect(sent).toContain(text)
  })

  it.each([true, false])(
    "Codex searches for the tools of an MCP server and calls them, streamed: %s",
    async (stream) => {
      const more: Array<unknown> = []
      const step = () => ask(byMcp(model, mcpOrders, more), stream)
      const first = await step()
      expect(first.items).toMatchObject([
        { type: "tool_search_call", execution: "client", arguments: searching, status: "completed" }
      ])
      expect(first.adapted).not.toContain("tool_search")
      more.push(replayed(first.items[0]), found(first.items[0].call_id))
      const second = await step()
      expect(second.items).toMatchObject([
        { type: "function_call", namespace: "mcp__notes", name: "read_note", arguments: '{"number":4}' }
      ])
      more.push(replayed(second.items[0]), {
        type: "function_call_output",
        call_id: second.items[0].call_id,
        output: [{ type: "input_text", text: "the note says 4711" }]
      })
      const last = await step()
      expect(last.items).toMatchObject([{ content: [{ text: "The tool answered: the note says 4711" }] }])
      expect(JSON.stringify(world.asked(protocol).body)).toContain(
        "mcp__notes__read_note: Reads the note with a number"
      )
    }
  )

  it("a stored response keeps the tools that came with it, and its search is read back as it was", async () => {
    const first = await ask({ ...byMcp(model, mcpOrders), store: true }, true)
    const input = [found(first.items[0].call_id)]
    const tools = byMcp(model, "").tools
    const second = await ask({ model, tools, previous_response_id: first.id, input }, false)
    expect(second.items).toMatchObject([{ namespace: "mcp__notes", name: "read_note" }])
    const third = await ask(
      {
        model,
        previous_response_id: second.id,
        input: [
          { type: "function_call_output", call_id: second.items[0].call_id, output: "" },
          { type: "message", role: "user", content: order("mcp__notes__read_note", { number: 5 }) }
        ]
      },
      true
    )
    expect(third.items).toMatchObject([{ namespace: "mcp__notes", arguments: '{"number":5}' }])

    const read = await request(world.gateway, `/v1/responses/${first.id}?stream=true`)
    const frames = framesIn(await read.text())
    expect(frames.flatMap(({ item, type }) => (type === "response.output_item.done" ? [item] : []))).toEqual(
      first.items
    )
  })

  it("a background response calls them", async () => {
    const { id } = await (await post("", { ...bySol(model, solOrders), store: true, background: true })).json()
    let told: Any
    do {
      await Bun.sleep(5)
      const read = await request(world.gateway, `/v1/responses/${id}`)
      told = await read.json()
    } while (told.status === "queued" || told.status === "in_progress")
    expect(told.output).toMatchObject([{ type: "custom_tool_call", namespace: "functions", name: "exec", input: code }])
  })

  it("a compaction keeps them for what follows", async () => {
    const response = await post("/compact", { model, input: bySol(model, "Hello").input })
    const { output } = await response.json()
    expect(output[0]).toMatchObject(additionalTools)
    const next = await ask({ model, input: [...output, { role: "user", content: solOrders }] }, false)
    expect(next.items).toMatchObject([{ type: "custom_tool_call", namespace: "functions", name: "exec" }])
  })

  it("a socket's warm-up brings them, and the next message goes on with them", async () => {
    const { ask: send, ws } = await connect(world.gateway.url, world.gateway.key)
    const { input, ...rest } = bySol(model, solOrders)
    const warm = await send({ ...rest, input: input.slice(0, -1), generate: false })
    const { response } = await send({ ...rest, input: input.slice(-1), previous_response_id: warm.response.id })
    ws.close()
    expect(response.output).toMatchObject([{ type: "custom_tool_call", namespace: "functions", name: "exec" }])
  })
})

it("an upstream of the dialect gets them as they came", async () => {
  const first = bySol(models["openai-responses"], "Hello")
  await ask(first, true)
  expect(world.asked("openai-responses").body).toEqual({ ...first, model: "gpt-5.1", stream: true })
  const second = byMcp(models["openai-responses"], "Hello", [
    { type: "tool_search_call", call_id: "call_1", execution: "client", arguments: searching },
    found("call_1")
  ])
  await ask(second, true)
  expect(world.asked("openai-responses").body).toEqual({ ...second, model: "gpt-5.1", stream: true })
})

it("the sandbox calls them", async () => {
  const exec = await ask(bySol("sandbox-text", "exec [[sandbox: tool=functions__exec]]"), true)
  expect(exec.items.at(-1)).toMatchObject({ type: "custom_tool_call", namespace: "functions", name: "exec" })
  const search = await ask(byMcp("sandbox-text", "[[sandbox: tool=tool_search]]"), true)
  expect(search.items.at(-1)).toMatchObject({ type: "tool_search_call", arguments: { query: expect.any(String) } })
})
