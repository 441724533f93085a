import { Context } from "effect"
import type { Schema } from "effect"

/** On a group: path prefixes for which it renders unknown paths and methods. The longest match wins; `/` takes the rest. */
export class Prefixes extends Context.Tag("gateway/contract/Prefixes")<Prefixes, ReadonlyArray<string>>() {}

/** Renders the failures of a dialect's clients at paths that several dialects have, or that this gateway does not serve. */
interface DialectClients {
  /** The headers that its clients send. */
  readonly headers: ReadonlyArray<string>
  /** Paths of the dialect's own that are not served. */
  readonly prefixes: ReadonlyArray<string>
  readonly errors: Schema.Schema.All
}

/** On a group: its dialect's clients, where other groups' errors would be foreign to them. */
export class Clients extends Context.Tag("gateway/contract/Clients")<Clients, DialectClients>() {}

/** On a group: its paths are those of several dialects. */
export class SharedPaths extends Context.Reference<SharedPaths>()("gateway/contract/SharedPaths", {
  defaultValue: () => false
}) {}

/** On a group: its name in logs, rows and metrics; by default its own. */
export class Family extends Context.Tag("gateway/contract/Family")<Family, string>() {}

/** On an endpoint: answered without a key. */
export class Public extends Context.Reference<Public>()("gateway/contract/Public", { defaultValue: () => false }) {}

/** On a group: the largest body in bytes; by default the server's limit. */
export class BodyLimit extends Context.Tag("gateway/contract/BodyLimit")<BodyLimit, number>() {}

/** On a group: error bodies carry the request id (`request_id`), as Anthropic's do. */
export class RequestIdInErrors extends Context.Reference<RequestIdInErrors>()("gateway/contract/RequestIdInErrors", {
  defaultValue: () => false
}) {}

/** On a group: its requests are messages (`messagesOf`), and its handlers count those that are requests. */
export class OfMessages extends Context.Reference<OfMessages>()("gateway/contract/OfMessages", {
  defaultValue: () => false
}) {}

/** On a group: the provider whose rate-limit headers its replies carry. */
export class RateHeaders extends Context.Reference<RateHeaders>()("gateway/contract/RateHeaders", {
  defaultValue: (): "openai" | "anthropic" | null => null
}) {}

/** On an endpoint that creates: it honours `Idempotency-Key`. */
export class Idempotent extends Context.Reference<Idempotent>()("gateway/contract/Idempotent", {
  defaultValue: () => false
}) {}

/** On an endpoint whose requests name MCP servers, which may fail. */
export class CallsServers extends Context.Reference<CallsServers>()("gateway/contract/CallsServers", {
  defaultValue: () => false
}) {}

/** On an endpoint that can stream: the `type` of its request messages on a WebSocket at its path. */
export class AskedBySocket extends Context.Reference<AskedBySocket>()("gateway/contract/AskedBySocket", {
  defaultValue: (): string | null => null
}) {}

/** On a group: the name of the server's `Authenticator` that guards it; by default callers' API keys. */
export class OpenedBy extends Context.Reference<OpenedBy>()("gateway/contract/OpenedBy", {
  defaultValue: (): "api-key" | "admin-key" | "anyone" => "api-key"
}) {}

/**
 * On an endpoint that anyone may ask but only operators need. With `server.admin` it is at that address alone, as those that
 * admin keys open.
 */
export class ForOperators extends Context.Reference<ForOperators>()("gateway/contract/ForOperators", {
  defaultValue: () => false
}) {}

/** On an endpoint: its answer runs so long that its handler rechecks the caller's permission. */
export class LongLived extends Context.Reference<LongLived>()("gateway/contract/LongLived", {
  defaultValue: () => false
}) {}

/** On a group: unknown fields of bodies and queries are refused with a 400, so that a misspelt field is not ignored. */
export class KnownFieldsOnly extends Context.Reference<KnownFieldsOnly>()("gateway/contract/KnownFieldsOnly", {
  defaultValue: () => false
}) {}

/** On an endpoint: an empty body counts as `{}`. */
export class MayBeEmpty extends Context.Reference<MayBeEmpty>()("gateway/contract/MayBeEmpty", {
  defaultValue: () => false
}) {}

/** The bounds of a form (`multipart/form-data`). Files are on disk, the other fields in memory. */
export interface FormBounds {
  /** The most fields and files. */
  readonly parts: number
  /** Bytes of all fields that are not files. */
  readonly fieldBytes: number
  /** Bytes of one file. */
  readonly fileBytes: number
  /** Bytes of the whole body. */
  readonly bytes: number
  /** The time for the whole body. */
  readonly seconds: number
}

/** On an endpoint: its body may also be a form within these bounds. */
export class Form extends Context.Reference<Form>()("gateway/contract/Form", {
  defaultValue: (): FormBounds | null => null
}) {}

/** How bodies are read that are too long for memory. */
export interface LongBodies {
  /** The time for the whole body. */
  readonly seconds: number
  /** The body that is decoded in the place of a long one. */
  readonly shownAs: Readonly<Record<string, unknown>>
}

/** On an endpoint: long bodies are read to disk, and its handler reads them from there (`Incoming.long`). */
export class LongBody extends Context.Reference<LongBody>()("gateway/contract/LongBody", {
  defaultValue: (): LongBodies | null => null
}) {}
