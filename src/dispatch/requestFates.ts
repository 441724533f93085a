import { carriedFields } from "../generation/Conversation.ts"
import type { ConversationField } from "../upstreams/protocols/fieldFates.ts"
import type { Unsupported } from "./unsupported.ts"

/**
 * The fate of a request's field at upstreams of other dialects. `own`: it is for the gateway alone, or kept with the
 * record. `refused`: only upstreams of this dialect take it, for the reason given. Otherwise it becomes parts of the
 * conversation, whose fates each protocol tells, and what a conversation can't express of it is left out and named.
 */
type RequestFate<Request> =
  | "own"
  | { readonly refused: string }
  | { readonly becomes: ReadonlyArray<ConversationField>; readonly loses?: Losses<Request> }
  | { readonly loses: Losses<Request> }

/**
 * Tells by the caller's name, often the field's own, whether a request asks for what is lost. A field that becomes one of
 * those that some upstreams carry is lost only at the others.
 */
type Losses<Request> = Readonly<Record<string, (request: Request, body: unknown) => boolean>>

/** The fates of all fields of a request's schema. A field without a fate does not compile. */
export type RequestFates<Fields, Request> = { readonly [Field in keyof Fields]-?: RequestFate<Request> }

/** A part of a request that is left out if it is asked for. */
export interface Loss<Fields, Request> {
  /** Without it, nothing is asked for. */
  readonly field: Extract<keyof Fields, string>
  readonly unsupported: Unsupported
  readonly isAsked: (request: Request, body: unknown) => boolean
}

/** All that a family's requests can lose, in the order of its fields. */
export const lossesOf = <Fields, Request>(
  fates: RequestFates<Fields, Request>
): ReadonlyArray<Loss<Fields, Request>> => {
  const losses: Array<Loss<Fields, Request>> = []
  for (const field in fates) {
    const fate: RequestFate<Request> = fates[field]
    if (fate === "own" || !("loses" in fate)) continue
    const becomes: ReadonlyArray<string> = "becomes" in fate ? fate.becomes : []
    const carriedAs = carriedFields.find((carried) => becomes.includes(carried))
    for (const [param, isAsked] of Object.entries(fate.loses ?? {})) {
      losses.push({ field, unsupported: { param, ...(carriedAs !== undefined && { carriedAs }) }, isAsked })
    }
  }
  return losses
}

/** The fields that only upstreams of the dialect take, with the reasons. */
export const refusedBy = <Fields, Request>(
  fates: RequestFates<Fields, Request>
): ReadonlyArray<readonly [field: string, rule: string]> =>
  Object.entries<RequestFate<Request>>(fates).flatMap(([field, fate]) =>
    fate !== "own" && "refused" in fate ? [[field, fate.refused] as const] : []
  )
