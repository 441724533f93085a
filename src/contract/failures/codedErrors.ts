import type { Failure } from "./Failure.ts"
import { codedBody, failureUnion, programCodeOf } from "../wire.ts"
import type { CodedBody } from "../wire.ts"
import { failureRows } from "./failureRows.ts"

const body = codedBody({ param: true, upstreamCodes: true })

/** Errors as `{error: {code, message, param, type}}` with the responses family's codes. */
export const CodedError = failureUnion("Responses", failureRows, body)

/** The same where OpenAI answers an unknown model with a 404, on which its clients fall back: chat completions, embeddings. */
export const ModelNotFoundError = failureUnion(
  "Completions",
  { ...failureRows, UnknownModel: { status: 404, code: "model_not_found", type: "invalid_request_error" } },
  body
)

/** The status of such an error. */
export const codedStatus = ({ _tag }: Failure): number => failureRows[_tag].status

/** The same error inside a stream, which has the upstream's code, if it told one. */
export const codedError = (failure: Failure): CodedBody["error"] => {
  const { error } = body.encode(failure, failureRows[failure._tag])
  const upstreamCode = failure._tag === "InvalidRequest" ? failure.upstreamCode : undefined
  const code = programCodeOf(failure) ?? upstreamCode
  return code === undefined ? error : { ...error, code }
}
