import type { JsonObject } from "../../contract/fields.ts"
import { firstMatch } from "../../contract/text/firstMatch.ts"
import { errorWords } from "./errorWords.ts"
import { objectAt, parseJson, textAt } from "../../contract/json/json.ts"

/**
 * The HTTP status that says what an error of Bedrock means, by its type. AWS's own statuses say less: a 400 may be a
 * quota that is used up, and a 424 is a failure of the model.
 */
const statuses: ReadonlyMap<string, number> = new Map([
  ["ThrottlingException", 429],
  ["ServiceQuotaExceededException", 429],
  ["TooManyRequestsException", 429],
  ["ModelNotReadyException", 429],
  ["ValidationException", 400],
  ["ConflictException", 400],
  ["AccessDeniedException", 403],
  ["UnrecognizedClientException", 401],
  ["InvalidSignatureException", 401],
  ["IncompleteSignatureException", 401],
  ["MissingAuthenticationTokenException", 401],
  ["ExpiredTokenException", 401],
  ["ResourceNotFoundException", 404],
  ["UnknownOperationException", 404],
  ["ModelTimeoutException", 408],
  ["ModelErrorException", 502],
  ["ModelStreamErrorException", 502],
  ["InternalServerException", 500],
  ["ServiceUnavailableException", 503]
])

/** An error that concerns the operator: the model's id, the API key, or a form that AWS wants first. */
const sentences: ReadonlyArray<readonly [RegExp, number]> = [
  [/^The provided model identifier is invalid\.$/, 404],
  [/^Invocation of model ID [^ ]+ with on-demand throughput isn.t supported\. /, 404],
  [/^Authentication failed/, 401],
  [/^Model use case details have not been submitted for this account\./, 401]
]

/**
 * The status that an error of AWS means; undefined if the type is not known.
 *
 * @param type as a header or an event stream has it: `ValidationException:http://internal…`, `validationException`
 */
export const awsStatus = (type: string, message: string): number | undefined => {
  const status = statuses.get(nameOf(type))
  if (status !== 400 && status !== 403 && status !== 404) return status
  return firstMatch(sentences, message) ?? status
}

/** The type of an error by its body, where no header tells it; undefined if it has none. */
export const awsTypeIn = (body: unknown): string | undefined =>
  textAt(body, "__type") ?? textAt(objectAt(body, "Output"), "__type")

/** The error in the answer stream of a call that was accepted, in the form in which other dialects have one. */
export const awsError = ({ name, payload }: { readonly name: string; readonly payload: string }): string =>
  JSON.stringify(awsErrorOf(name, parseJson(payload)))

/** @param name the type that came with it; empty if only the body has one */
export const awsErrorOf = (name: string, body: unknown): JsonObject => {
  const message = errorWords(body) ?? ""
  const types = [name, awsTypeIn(body) ?? ""]
  const type = types.find((one) => awsStatus(one, message) !== undefined) ?? name
  return { type: "error", error: { type: nameOf(type), code: awsStatus(type, message) ?? 500, message } }
}

const nameOf = (type: string): string => {
  const name = type.split(":", 1)[0]?.split("#").at(-1) ?? ""
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}
