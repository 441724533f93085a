import {
  chat,
  isShort,
  many,
  mega,
  messages,
  on,
  onChat,
  onMessages,
  onResponses,
  responses,
  shapes
} from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"
import { hostilePrices } from "./prices.ts"

const admin = (path: string) => on(path, { asAdmin: true })
const settings = (shape: unknown) =>
  JSON.stringify({ models: shape, limits: shape, search_allowed: shape, search_blocked: shape })

/** An image counts as few tokens, however long it is. */
const image = (size: number) => ({
  messages: [
    {
      role: "user",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(size) } }]
    }
  ]
})
const inputImage = (size: number) => ({
  input: [{ role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${"A".repeat(size)}` }] }],
  store: true
})
const blocks = { messages: [{ role: "user", content: many(20_000, () => ({ type: "text", text: "x" })) }] }

const begin = { type: "create" }
const goOn = { type: "continue", previous_message_id: "{earlier}" }
const thread = (first: object): Pick<Hostile, "earlier"> => ({
  earlier: { path: "/v1/messages", body: () => messages({ thread: begin, ...first }) }
})
const stored = (first: object): Pick<Hostile, "earlier"> => ({
  earlier: { path: "/v1/responses", body: () => responses({ store: true, ...first }) }
})

const uploads = on("/v1/uploads")
const upload = { filename: "a.txt", purpose: "batch", bytes: 10 }
const complete = on("/v1/uploads/{earlier}/complete", {
  earlier: { path: "/v1/uploads", body: () => JSON.stringify(upload) }
})
const completion: Pick<Hostile, "earlier"> = {
  earlier: { path: "/v1/chat/completions", body: () => chat({ store: true }) }
}
const conversation: Pick<Hostile, "earlier"> = { earlier: { path: "/v1/conversations", body: () => "{}" } }

/** What is remembered between requests, and what the operator changes. */
export const kept: ReadonlyArray<Hostile> = [
  onMessages("a thread begun with a 24 MB image", () => messages({ thread: begin, ...image(24 * mega) })),
  onMessages("a thread begun with 20,000 blocks", () => messages({ thread: begin, ...blocks })),
  onMessages("a thread begun with a 30 MB image", () => messages({ thread: begin, ...image(30 * mega) })),
  onMessages("an async message with a 30 MB image", () => messages({ async: true, ...image(30 * mega) })),
  onMessages("a thread with a 24 MB image, continued", () => messages({ thread: goOn }), {
    ...thread(image(24 * mega)),
    ...isShort
  }),
  onMessages("a thread of 20,000 blocks, continued, translated", () => messages({ thread: goOn }, "behind-chat"), {
    earlier: { path: "/v1/messages", body: () => messages({ thread: begin, ...blocks }, "behind-chat") }
  }),
  ...shapes.map(([name, shape]) =>
    onMessages(`a thread's messages: ${name}`, () => messages({ thread: begin, messages: shape() }))
  ),
  onResponses("a stored response with a 30 MB image", () => responses(inputImage(30 * mega))),
  onResponses("a background response with a 30 MB image", () =>
    responses({ ...inputImage(30 * mega), background: true })
  ),
  onResponses(
    "a background response with a 30 MB image, to its end",
    () => responses({ ...inputImage(30 * mega), background: true, stream: true }),
    isShort
  ),
  onResponses("a response with a 24 MB image, continued", () => responses({ previous_response_id: "{earlier}" }), {
    ...stored(inputImage(24 * mega)),
    ...isShort
  }),
  onResponses("a response of 20,000 items, continued", () => responses({ previous_response_id: "{earlier}" }), {
    ...stored({ input: many(20_000, () => ({ role: "user", content: "x" })) })
  }),
  onResponses(
    "45,000 references to nothing",
    () => responses({ input: many(45_000, (index) => ({ type: "item_reference", id: `msg_${index}` })) }),
    isShort
  ),
  onResponses(
    "40 references to an image of 20 MB",
    () => responses({ input: many(40, () => ({ type: "item_reference", id: "{earlier item}" })) }),
    { ...stored(inputImage(20 * mega)), ...isShort }
  ),
  ...shapes.flatMap(([name, shape]) => [
    ...(["/admin/v1/keys", "/admin/v1/accounts", "/admin/v1/accounts/default/credit"] as const).map((path) =>
      admin(path)(`body: ${name}`, () =>
        JSON.stringify({ name: "x", models: shape(), limits: shape(), search_allowed: shape() })
      )
    ),
    admin("/admin/v1/accounts/default")(`change: ${name}`, () => settings(shape()), { method: "PATCH" }),
    admin("/admin/v1/keys/unknown")(`change: ${name}`, () => settings(shape()), { method: "PATCH" })
  ]),
  ...shapes.flatMap(([name, shape]) => [
    uploads(`expires_after: ${name}`, () => JSON.stringify({ ...upload, expires_after: shape() })),
    complete(`part_ids: ${name}`, () => JSON.stringify({ part_ids: shape() })),
    on("/v1/conversations")(`items: ${name}`, () => JSON.stringify({ items: shape() })),
    on("/v1/conversations/{earlier}")(`metadata: ${name}`, () => JSON.stringify({ metadata: shape() }), conversation),
    on("/v1/chat/completions/{earlier}")(`metadata: ${name}`, () => JSON.stringify({ metadata: shape() }), completion),
    onChat(`stored, its metadata: ${name}`, () => chat({ store: true, metadata: shape() })),
    on("/v1/conversations/{earlier}/items")(`items: ${name}`, () => JSON.stringify({ items: shape() }), conversation)
  ]),
  onChat("a stored completion of 30 MB", () =>
    chat({ store: true, messages: [{ role: "user", content: "x".repeat(30 * mega) }] })
  ),
  onChat("a stored completion of 40,000 messages", () =>
    chat({ store: true, stream: true, messages: many(40_000, () => ({ role: "user", content: "x" })) })
  ),
  uploads("a file's name of 30 MB", () => JSON.stringify({ ...upload, filename: "a".repeat(30 * mega) })),
  complete("1,000 parts with names of 30 KB", () =>
    JSON.stringify({ part_ids: many(1_000, (index) => `part_${index}${"a".repeat(30_000)}`) })
  ),
  ...shapes.map(([name, shape]) =>
    admin("/admin/v1/configurations")(`document: ${name}`, () =>
      JSON.stringify({ document: `models: ${JSON.stringify(shape())}` })
    )
  ),
  admin("/admin/v1/configurations")("aliases of aliases", () =>
    JSON.stringify({
      document: many(30, (index) => `a${index}: &a${index} [${`*a${index - 1}, `.repeat(index === 0 ? 0 : 9)}1]`).join(
        "\n"
      )
    })
  ),
  admin("/admin/v1/configurations/previous/apply")("nothing", () => ""),
  admin("/admin/v1/keys")("200,000 models", () =>
    JSON.stringify({ account: "default", name: "x", models: many(200_000, (index) => `model-${index}*`) })
  ),
  admin("/admin/v1/keys/{earlier}")("200,000 models", () => JSON.stringify({ models: many(200_000, () => "*") }), {
    method: "PATCH",
    earlier: { path: "/admin/v1/keys", body: () => JSON.stringify({ account: "default", name: "x" }) }
  }),
  admin("/admin/v1/accounts/{earlier}")(
    "200,000 domains",
    () => JSON.stringify({ search_blocked: many(200_000, (index) => `a${index}.example.com`) }),
    {
      method: "PATCH",
      earlier: { path: "/admin/v1/accounts", body: () => JSON.stringify({ id: `a${crypto.randomUUID()}` }) }
    }
  ),
  admin("/admin/v1/prices/refresh")("a list with a row of 19,000 tiers", () => "{}", {
    answerBytes: () => JSON.stringify(hostilePrices()).length
  }),
  admin("/admin/v1/accounts/default/credit")("a note of 30 MB", () =>
    JSON.stringify({ usd: 1, note: "x".repeat(30 * mega) })
  )
]
