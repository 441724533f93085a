import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"

export type Json = Readonly<Record<string, unknown>>

/** The next answers of the upstreams. */
export const play = {
  /** Whole. */
  answer: {} as Json,
  /** True for a stream whose last event has no items. */
  isBare: false,
  /** True for a stream that does not end. */
  isOpen: false
}

const stream = (frames: ReadonlyArray<readonly [event: string, data: Json]>, end = "") =>
  new Response(
    frames
      .map(([event, data]) => `${event === "" ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`)
      .join("") + end,
    { headers: { "content-type": "text/event-stream" } }
  )
const typed = (frames: ReadonlyArray<Json>) => stream(frames.map((frame) => [String(frame["type"]), frame]))

/** A response's events until its last one. */
const begun = (): ReadonlyArray<Json> => [
  { type: "response.created", response: { ...play.answer, status: "in_progress", output: [], usage: null } },
  ...(play.answer["output"] as ReadonlyArray<Json>).flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item },
    { type: "response.output_item.done", output_index, item }
  ])
]
const unended = (frames: ReadonlyArray<Json>) =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const frame of frames)
          controller.enqueue(`event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`)
      }
    }),
    { headers: { "content-type": "text/event-stream" } }
  )

export const responses = fakeUpstream("openai-responses", {
  answer: ({ body }) => {
    if (body.stream !== true) return Response.json(play.answer)
    if (play.isOpen) return unended(begun())
    return typed([
      ...begun(),
      { type: "response.completed", response: play.isBare ? { ...play.answer, output: [] } : play.answer }
    ])
  }
})
export const messages = fakeUpstream("anthropic-messages", {
  answer: ({ body }) => {
    if (body.stream !== true) return Response.json(play.answer)
    const usage = play.answer["usage"] as Json
    const { iterations: _, output_tokens: __, ...begun } = usage
    const text = { type: "text_delta", text: "Hello" }
    return typed([
      {
        type: "message_start",
        message: { ...play.answer, content: [], stop_reason: null, usage: { ...begun, output_tokens: 1 } }
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: text },
      { type: "content_block_stop", index: 0 },
      // The iterations so far, and then all of them.
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
      { type: "message_delta", delta: {}, usage },
      { type: "message_stop" }
    ])
  }
})
export const chat = fakeUpstream("openai-chat", {
  answer: ({ body }) => {
    if (body.stream !== true) return Response.json(play.answer)
    const [{ message }] = play.answer["choices"] as [{ message: Json }]
    const { choices: _, usage, ...head } = play.answer
    const chunk = (delta: Json, finish_reason: string | null) =>
      ["", { ...head, choices: [{ index: 0, delta, finish_reason }] }] as const
    const { annotations, ...said } = message
    return stream(
      [
        chunk(said, null),
        ...(annotations === undefined ? [] : [chunk({ annotations }, null)]),
        chunk({}, "stop"),
        ["", { ...head, choices: [], usage }]
      ],
      "data: [DONE]\n\n"
    )
  }
})
