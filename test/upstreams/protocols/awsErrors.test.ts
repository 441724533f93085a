import { describe, expect, it } from "@effect/vitest"
import { awsError, awsStatus } from "../../../src/upstreams/protocols/awsErrors.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { failedWith } from "../../../src/upstreams/protocols/upstreamFailure.ts"
import { refusal } from "../../../src/upstreams/calls/refusal.ts"

/** An error of Bedrock's by HTTP. */
const refusedAs = (type: string, status: number, message: string, inBody = false) => {
  const full = `com.amazon.bedrock#${type}:http://internal.amazon.com/coral/`
  const headers = new Headers(inBody ? {} : { "x-amzn-errortype": full })
  const error = refusal({
    status,
    headers,
    body: JSON.stringify({ ...(inBody && { __type: full }), message }),
    secrets: [],
    sent: "{}",
    isPassthrough: false
  })
  return [error.failure._tag, error.retry, error.trouble, error.status]
}

/** The same error in a stream. */
const failedAs = (type: string, message: string, inBody = false) => {
  const payload = JSON.stringify({ ...(inBody && { __type: `com.amazon.bedrock#${type}` }), message })
  const name = inBody ? "" : type.slice(0, 1).toLowerCase() + type.slice(1)
  const { error } = JSON.parse(awsError({ name, payload }))
  const failed = failedWith(error)
  return [failed.failure._tag, failed.trouble]
}

describe("an error of Bedrock", () => {
  it.each([
    ["ValidationException", 400, "InvalidRequest", "never", undefined],
    ["ConflictException", 400, "InvalidRequest", "never", undefined],
    ["ServiceQuotaExceededException", 400, "RateLimited", "again", "saturated"],
    ["ThrottlingException", 429, "RateLimited", "again", "saturated"],
    ["ModelNotReadyException", 429, "RateLimited", "again", "saturated"],
    ["ExpiredTokenException", 403, "UpstreamFailed", "elsewhere", "refused-key"],
    ["UnrecognizedClientException", 403, "UpstreamFailed", "elsewhere", "refused-key"],
    ["InvalidSignatureException", 403, "UpstreamFailed", "elsewhere", "refused-key"],
    ["ModelTimeoutException", 408, "UpstreamFailed", "again", undefined],
    ["ModelErrorException", 424, "UpstreamFailed", "again", undefined],
    ["ModelStreamErrorException", 424, "UpstreamFailed", "again", undefined],
    ["InternalServerException", 500, "UpstreamFailed", "again", undefined],
    ["ServiceUnavailableException", 503, "UpstreamFailed", "again", undefined]
  ])("%s (%i) is a %s, to be asked %s", (type, status, tag, retry, trouble) => {
    expect(refusedAs(type, status, "it is so")).toEqual([tag, retry, trouble, status])
    expect(failedAs(type, "it is so")).toEqual([tag, trouble])
    // Without its header, the body tells the type.
    expect(refusedAs(type, status, "it is so", true)).toEqual([tag, retry, trouble, status])
    expect(failedAs(type, "it is so", true)).toEqual([tag, trouble])
  })

  it("in a whole answer with a 200 is an error", () => {
    const unknown = { Output: { __type: "com.amazon.coral.service#UnknownOperationException" }, Version: "1.0" }
    for (const [answer, code] of [
      [unknown, 404],
      [{ __type: "ThrottlingException", message: "slow down" }, 429]
    ] as const) {
      expect(bedrockConverse.frames(answer)).toMatchObject([{ type: "error", error: { code } }])
    }
  })

  it("about access to one model leaves the others at their upstream", () => {
    const words = "You don't have access to the model with the specified model ID."
    expect(refusedAs("AccessDeniedException", 403, words)).toEqual(["UpstreamFailed", "elsewhere", undefined, 403])
  })

  it("about the model's id is not the caller's, and another route may have it", () => {
    const onDemand =
      "Invocation of model ID anthropic.claude-sonnet-4-5-20250929-v1:0 with on-demand throughput isn’t supported. " +
      "Retry your request with the ID or ARN of an inference profile that contains this model."
    for (const words of ["The provided model identifier is invalid.", onDemand]) {
      expect(refusedAs("ValidationException", 400, words)).toEqual(["InvalidRequest", "elsewhere", undefined, 400])
    }
    expect(refusedAs("ResourceNotFoundException", 404, "Could not resolve the foundation model")).toEqual([
      "InvalidRequest",
      "elsewhere",
      undefined,
      404
    ])
  })

  it("about the key is the operator's", () => {
    const words = "Authentication failed: Please make sure your API Key is valid."
    expect(refusedAs("AccessDeniedException", 403, words)[2]).toBe("refused-key")
  })

  it("about a form that AWS wants first is the operator's", () => {
    const words = "Model use case details have not been submitted for this account. Fill out the form before."
    expect(refusedAs("ResourceNotFoundException", 404, words)).toEqual([
      "UpstreamFailed",
      "elsewhere",
      "refused-key",
      404
    ])
  })

  it("of an unknown type says what its status says", () => {
    expect(awsStatus("NewException", "")).toBeUndefined()
    expect(refusedAs("NewException", 503, "it is so")[1]).toBe("again")
    expect(failedAs("newException", "it is so")).toEqual(["UpstreamFailed", undefined])
  })

  it("tells the upstream's words only about the input", () => {
    const words = (name: string) => failedWith(JSON.parse(awsError({ name, payload: '{"message":"it is so"}' })).error)
    expect(words("validationException").failure.message).toBe("it is so")
    expect(words("modelStreamErrorException").failure.message).not.toContain("it is so")
    expect(words("modelStreamErrorException").said).toBe("ModelStreamErrorException: 502: it is so")
  })
})
