import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { credentialsOf } from "../../src/upstreams/configured/fromSettings.ts"
import { listModels } from "../../src/upstreams/calls/listModels.ts"
import { bedrockListing } from "../../src/upstreams/protocols/bedrockModels.ts"
import { bedrockKeys, fakeBedrock } from "./fakes/bedrock.ts"

const bedrock = fakeBedrock()
afterAll(() => bedrock.stop())

describe("Bedrock's lists of models", () => {
  it.each([
    ["https://bedrock-runtime.us-east-1.amazonaws.com", "https://bedrock.us-east-1.amazonaws.com"],
    ["https://bedrock-runtime-fips.us-east-1.amazonaws.com/", "https://bedrock-fips.us-east-1.amazonaws.com"],
    ["https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1", "https://bedrock.eu-west-1.amazonaws.com"],
    ["http://127.0.0.1:9000/aws", "http://127.0.0.1:9000/aws"]
  ])("of %s are at the control plane, %s", (baseUrl, place) => {
    expect(bedrockListing.listedAt(baseUrl)).toEqual([
      `${place}/foundation-models?byOutputModality=TEXT`,
      `${place}/inference-profiles?maxResults=1000`
    ])
  })

  it.effect.each([
    { protocol: "bedrock-converse", path: "" },
    { protocol: "anthropic-messages", path: "" },
    { protocol: "anthropic-messages", path: "/anthropic" }
  ] as const)("hold what can be asked on demand, and profiles ($protocol $path)", ({ path, protocol }) =>
    Effect.gen(function* () {
      const auth = {
        kind: "aws",
        access_key_id: Redacted.make(bedrockKeys.accessKeyId),
        secret_access_key: Redacted.make(bedrockKeys.secretAccessKey)
      } as const
      const base_url = bedrock.url + path
      const entry = { provider: "bedrock", protocol, base_url, auth, region: "us-east-1" } as const
      const listed = yield* listModels(entry, yield* credentialsOf(entry))
      expect(listed.map(({ id }) => id)).toEqual([
        "amazon.nova-lite-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us.amazon.nova-2-lite-v1:0"
      ])
    })
  )
})
