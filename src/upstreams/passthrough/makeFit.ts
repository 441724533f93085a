import type { Fit, Protocol } from "../protocols/Protocol.ts"
import type { TextUpstreamOptions } from "../text/TextUpstreamOptions.ts"
import type { GenerateOptions, PassthroughRequest } from "../Upstream.ts"
import type { Dialect } from "./Dialect.ts"

/** Fits a caller's own request, with its headers of the dialect, to what the upstream's place takes for the model. */
export type Fitting = (
  request: Pick<PassthroughRequest, "body" | "headers">,
  to: Pick<GenerateOptions, "knownAs" | "upstreamModel">,
  refused: ReadonlySet<string>,
  isCount?: boolean
) => Fit

export const makeFit =
  <S>({ place }: Protocol<S>, dialect: Dialect, { betas }: Pick<TextUpstreamOptions, "betas">): Fitting =>
  (request, { knownAs, upstreamModel }, refused, isCount = false) => {
    const asked = { body: request.body, headers: dialectHeaders(dialect, request) }
    return place === undefined
      ? { ...asked, adapted: nothing, betas: nothing }
      : place.fit(asked, { model: knownAs ?? upstreamModel, betas, refused, isCount })
  }

const dialectHeaders = (
  dialect: Dialect,
  { headers }: Pick<PassthroughRequest, "headers">
): Readonly<Record<string, string>> | undefined => {
  let added: Record<string, string> | undefined
  for (const name of dialect.headers) {
    const value = headers.get(name)
    if (value !== null) (added ??= {})[name] = value
  }
  return added
}

const nothing: ReadonlyArray<never> = []
