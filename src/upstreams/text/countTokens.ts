import { Effect } from "effect"
import { connectionOf, headersTo, makePlacing } from "../Endpoint.ts"
import { inlineFiles } from "../files/inlineFiles.ts"
import { makePreparing } from "../files/makePreparing.ts"
import { askCount } from "../passthrough/counter.ts"
import type { Dialect } from "../passthrough/Dialect.ts"
import type { Fitting } from "../passthrough/makeFit.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import type { RefusedParts } from "../calls/RefusedParts.ts"
import { serializeBody } from "../calls/serializeBody.ts"
import type { TextUpstreamOptions } from "./TextUpstreamOptions.ts"
import type { TextUpstream } from "../Upstream.ts"

/** Token counts, from a body without `stream`, which the endpoint refuses. */
export const countTokens = <S>(
  { counts: path, endpoint, fetches }: Protocol<S>,
  dialect: Dialect,
  options: TextUpstreamOptions,
  fitted: Fitting,
  refused: RefusedParts
) => {
  if (path === undefined) return {}
  const placed = makePlacing(endpoint, options.baseUrl, path)
  const { inlined } = dialect
  const countTokens: NonNullable<TextUpstream["countTokens"]> = (request, to) => {
    // Fetching a file, or extracting its text, takes longer than a caller waits for a count.
    if (fetches && inlined && inlineFiles(request.body, inlined, fetches, options.files, {}) !== undefined)
      return Effect.succeed(undefined)
    const passed = { ...dialect.body(request.body, { ...to, stream: false }), stream: undefined }
    const fit = fitted({ ...request, body: passed }, to, refused.at(to).betas, true)
    const { body, headers, url } = placed(fit)
    return askCount({
      url,
      headers: headersTo(endpoint, options, headers),
      body: serializeBody(request, body),
      ...connectionOf(options)
    })
  }
  return { countTokens }
}

/** Token counts of conversations, for a dialect that no family speaks. */
export const countingTranslated = <S>(
  protocol: Protocol<S>,
  options: TextUpstreamOptions
): Pick<TextUpstream, "countConversation"> => {
  const { counts: path, endpoint, lower } = protocol
  if (path === undefined) return {}
  const placed = makePlacing(endpoint, options.baseUrl, path)
  const prepare = makePreparing(protocol, options)
  const countConversation: NonNullable<TextUpstream["countConversation"]> = (conversation, model) => {
    if (prepare?.(conversation, {}) !== undefined) return Effect.succeed(undefined)
    const lowered = lower(conversation, { model, stream: false })
    if (lowered.refused !== undefined) return Effect.succeed(undefined)
    const { body, url } = placed({ body: lowered.body, headers: undefined })
    return askCount({
      url,
      headers: headersTo(endpoint, options),
      body: JSON.stringify(body),
      ...connectionOf(options)
    })
  }
  return { countConversation }
}
