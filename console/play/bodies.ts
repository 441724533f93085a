import type { Input, Draft, DroppedFile, Message } from "./draft.ts"

type Json = Readonly<Record<string, unknown>>

const dataUrl = ({ data, type }: DroppedFile) => `data:${type};base64,${data}`
const isImage = ({ type }: DroppedFile) => type.startsWith("image/")
const isText = ({ type }: DroppedFile) => type.startsWith("text/") || type === "application/json"
const bytesOf = ({ data }: DroppedFile) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
const textOf = (file: DroppedFile) => new TextDecoder().decode(bytesOf(file))

const known = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text === "" ? "{}" : text)
  } catch {
    return {}
  }
}

type User = Extract<Input, { readonly role: "user" }>

/** A text alone, or parts with files before the text. */
const contentOf = (
  { files, text }: User,
  fileOf: (file: DroppedFile) => Json,
  textPart: Json
): string | ReadonlyArray<Json> => (files.length === 0 ? text : [...files.map(fileOf), textPart])

const messages = (draft: Draft): Json => {
  const fileOf = (file: DroppedFile): Json =>
    isImage(file)
      ? { type: "image", source: { type: "base64", media_type: file.type, data: file.data } }
      : isText(file)
        ? { type: "document", title: file.name, source: { type: "text", media_type: "text/plain", data: textOf(file) } }
        : { type: "document", title: file.name, source: { type: "base64", media_type: file.type, data: file.data } }
  const tools = [
    ...draft.tools.map(({ description, name, parameters }) => known({ name, description, input_schema: parameters })),
    ...(draft.hasSearch ? [{ type: "web_search_20250305", name: "web_search" }] : [])
  ]
  const messageOf = (message: Message): Json => {
    switch (message.role) {
      case "user":
        return { role: "user", content: contentOf(message, fileOf, { type: "text", text: message.text }) }
      case "assistant":
        return {
          role: "assistant",
          content: [
            ...(message.text === "" ? [] : [{ type: "text", text: message.text }]),
            ...message.calls.map((call) => ({
              type: "tool_use",
              id: call.id,
              name: call.name,
              input: parsed(call.arguments)
            }))
          ]
        }
      case "tools":
        return {
          role: "user",
          content: message.calls.map((call, at) => ({
            type: "tool_result",
            tool_use_id: call.id,
            content: message.outputs[at] ?? ""
          }))
        }
    }
  }
  return known({
    model: draft.model,
    max_tokens: draft.maxTokens ?? 1_024,
    ...(draft.family === "task" ? { async: true } : { stream: true }),
    temperature: draft.temperature,
    system: draft.system,
    tools: tools.length === 0 ? undefined : tools,
    messages: draft.messages.map(messageOf)
  })
}

const responses = (draft: Draft): Json => {
  const fileOf = (file: DroppedFile): Json =>
    isImage(file)
      ? { type: "input_image", image_url: dataUrl(file) }
      : isText(file)
        ? { type: "input_text", text: `${file.name}:\n${textOf(file)}` }
        : { type: "input_file", filename: file.name, file_data: dataUrl(file) }
  const tools = [
    ...draft.tools.map(({ description, name, parameters }) =>
      known({ type: "function", name, description, parameters })
    ),
    ...(draft.hasSearch ? [{ type: "web_search" }] : [])
  ]
  const itemsOf = (message: Message): ReadonlyArray<Json> => {
    switch (message.role) {
      case "user":
        return [{ role: "user", content: contentOf(message, fileOf, { type: "input_text", text: message.text }) }]
      case "assistant":
        return [
          ...(message.text === "" ? [] : [{ role: "assistant", content: message.text }]),
          ...message.calls.map((call) => ({
            type: "function_call",
            call_id: call.id,
            name: call.name,
            arguments: call.arguments
          }))
        ]
      case "tools":
        return message.calls.map((call, at) => ({
          type: "function_call_output",
          call_id: call.id,
          output: message.outputs[at] ?? ""
        }))
    }
  }
  const [first, ...more] = draft.messages
  const isPlain = first?.role === "user" && first.files.length === 0 && more.length === 0
  return known({
    model: draft.model,
    stream: true,
    max_output_tokens: draft.maxTokens,
    temperature: draft.temperature,
    instructions: draft.system,
    tools: tools.length === 0 ? undefined : tools,
    input: isPlain ? first.text : draft.messages.flatMap(itemsOf)
  })
}

const chat = (draft: Draft): Json => {
  const fileOf = (file: DroppedFile): Json =>
    isImage(file)
      ? { type: "image_url", image_url: { url: dataUrl(file) } }
      : isText(file)
        ? { type: "text", text: `${file.name}:\n${textOf(file)}` }
        : { type: "file", file: { filename: file.name, file_data: dataUrl(file) } }
  const tools = draft.tools.map(({ description, name, parameters }) => ({
    type: "function",
    function: known({ name, description, parameters })
  }))
  const messagesOf = (message: Message): ReadonlyArray<Json> => {
    switch (message.role) {
      case "user":
        return [{ role: "user", content: contentOf(message, fileOf, { type: "text", text: message.text }) }]
      case "assistant": {
        const calls = message.calls.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: call.arguments }
        }))
        const content = message.text === "" ? null : message.text
        return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }]
      }
      case "tools":
        return message.calls.map((call, at) => ({
          role: "tool",
          tool_call_id: call.id,
          content: message.outputs[at] ?? ""
        }))
    }
  }
  return known({
    model: draft.model,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: draft.maxTokens,
    temperature: draft.temperature,
    tools: tools.length === 0 ? undefined : tools,
    messages: [
      ...(draft.system === "" ? [] : [{ role: "system", content: draft.system }]),
      ...draft.messages.flatMap(messagesOf)
    ]
  })
}

/** The last question, for families without a conversation. */
const lastOf = ({ messages }: Draft): User => {
  const last = messages.at(-1)
  return last?.role === "user" ? last : { role: "user", text: "", files: [] }
}

const videos = (draft: Draft): Json => ({
  model: draft.model,
  resolution: draft.video.resolution,
  ratio: draft.video.ratio,
  duration: draft.video.seconds,
  content: [
    { type: "text", text: lastOf(draft).text },
    ...lastOf(draft)
      .files.filter(isImage)
      .map((file) => ({ type: "image_url", role: "first_frame", image_url: { url: dataUrl(file) } }))
  ]
})

const fileOf = (draft: Draft): DroppedFile | undefined => lastOf(draft).files.at(-1)

/** The form of a draft, for families that take one: its body with the file itself. */
export const formOf = (draft: Draft): FormData => {
  const form = new FormData()
  const file = fileOf(draft)
  for (const [name, value] of Object.entries(bodyOf(draft))) {
    if (name !== "file" || file === undefined) form.append(name, String(value))
    else form.append(name, new Blob([bytesOf(file)], { type: file.type }), file.name)
  }
  return form
}

/** The create body of a draft. In that of a form, a file is its name. */
export const bodyOf = (draft: Draft): Json => {
  switch (draft.family) {
    case "messages":
    case "task":
      return messages(draft)
    case "responses":
      return responses(draft)
    case "chat":
      return chat(draft)
    case "embeddings":
      return { model: draft.model, input: lastOf(draft).text }
    case "images":
      return known({ model: draft.model, prompt: lastOf(draft).text, size: draft.image.size })
    case "speech":
      return known({ model: draft.model, input: lastOf(draft).text, voice: draft.speech.voice })
    case "transcriptions":
      return known({ model: draft.model, file: fileOf(draft)?.name, prompt: lastOf(draft).text })
    case "videos":
      return videos(draft)
  }
}
