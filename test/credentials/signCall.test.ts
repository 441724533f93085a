import { describe, expect, it } from "@effect/vitest"
import { signCall } from "../../src/credentials/signCall.ts"

/** Of AWS's own test suite for Signature Version 4: request line and signature, all signed at one moment. */
const vectors = [
  ["GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["GET", "/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"],
  [
    "GET",
    "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
    "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"
  ],
  ["GET", "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"],
  [
    "GET",
    "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
  ],
  ["GET", "/?ሴ=bar", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"],
  [
    "GET",
    "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
  ],
  ["POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  ["POST", "/?Param1=value1", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"]
] as const

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }
const at = Date.parse("2015-08-30T12:36:00Z")
const target = { region: "us-east-1", service: "service" }
const signatureIn = ({ authorization = "" }: Readonly<Record<string, string>>) =>
  /Signature=(\w+)/.exec(authorization)?.[1]

describe("a signature", () => {
  it.each(vectors)("of %s %s is AWS's", async (method, path, signature) => {
    const call = { method, url: `https://example.amazonaws.com${path}`, headers: {}, body: undefined }
    expect(signatureIn(await signCall(call, credentials, target, at))).toBe(signature)
  })

  it("covers a session's token", async () => {
    const sessionToken = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
    const call = { method: "GET", url: "https://example.amazonaws.com/", headers: {}, body: undefined } as const
    const headers = await signCall(call, { ...credentials, sessionToken }, target, at)
    expect(signatureIn(headers)).toBe("07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8")
    expect(headers["x-amz-security-token"]).toBe(sessionToken)
  })

  it("encodes an encoded path once more, as for a model's id with a colon", async () => {
    const path =
      "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-west-2%3A892717189312%3Afunction%3Amy-rusty-fun/invocations"
    const call = {
      method: "POST",
      url: `https://lambda.us-east-2.amazonaws.com${path}`,
      headers: {},
      body: undefined
    } as const
    const lambda = { region: "us-east-2", service: "lambda" }
    const headers = await signCall(call, credentials, lambda, Date.parse("2021-05-11T15:40:45Z"))
    expect(signatureIn(headers)).toBe("4b93abbcc68be32bd64c18e2c71150660ab4c29bbd6c32a383a7517a88fc1804")
  })
})
