import { Context } from "effect"

/** On a group: the path prefixes whose unknown paths and methods it renders; the longest match wins, `/` takes the rest. */
export class Prefixes extends Context.Tag("gateway/contract/Prefixes")<Prefixes, ReadonlyArray<string>>() {}

/** On an endpoint: answered without a key. */
export class Public extends Context.Reference<Public>()("gateway/contract/Public", { defaultValue: () => false }) {}

/** On a group: the largest body in bytes; the server's own limit where absent. */
export class BodyLimit extends Context.Tag("gateway/contract/BodyLimit")<BodyLimit, number>() {}

/** On a group: error bodies carry the request id (`request_id`), as Anthropic's do. */
export class RequestIdInErrors extends Context.Reference<RequestIdInErrors>()("gateway/contract/RequestIdInErrors", {
  defaultValue: () => false
}) {}

/** On a group: whose rate-limit headers its replies carry. */
export class RateHeaders extends Context.Reference<RateHeaders>()("gateway/contract/RateHeaders", {
  defaultValue: (): "openai" | "anthropic" | null => null
}) {}

/** On an endpoint that creates: an `Idempotency-Key` is honoured. */
export class Idempotent extends Context.Reference<Idempotent>()("gateway/contract/Idempotent", {
  defaultValue: () => false
}) {}

/** On an endpoint that can stream: the `type` of the messages that ask it over a WebSocket on its path. */
export class AskedBySocket extends Context.Reference<AskedBySocket>()("gateway/contract/AskedBySocket", {
  defaultValue: (): string | null => null
}) {}

/** On a group: whose keys open it, by the name of an `Authenticator` of the server; the callers' own by default. */
export class OpenedBy extends Context.Reference<OpenedBy>()("gateway/contract/OpenedBy", {
  defaultValue: (): "api-key" | "admin-key" | "anyone" => "api-key"
}) {}

/** On an endpoint: its answer goes on for so long that its handler looks now and then whether the caller still may ask. */
export class LongLived extends Context.Reference<LongLived>()("gateway/contract/LongLived", {
  defaultValue: () => false
}) {}

/** On a group: a field that it does not know, in a body or a query, is a 400 that names it: a misspelt one must not pass for none. */
export class KnownFieldsOnly extends Context.Reference<KnownFieldsOnly>()("gateway/contract/KnownFieldsOnly", {
  defaultValue: () => false
}) {}
