import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Auth } from "../../src/credentials/Auth.ts"
import { makeAwsAuth } from "../../src/credentials/awsAuth.ts"
import { makeAzureAuth } from "../../src/credentials/azureAuth.ts"
import { makeGoogleAuth } from "../../src/credentials/googleAuth.ts"
import { sourceOf } from "./sourceOf.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-fifos-"))
const variables = ["CONFIG_FILE", "SHARED_CREDENTIALS_FILE", "WEB_IDENTITY_TOKEN_FILE", "ROLE_ARN", "ENDPOINT_URL_STS"]
afterAll(() => {
  for (const name of variables) delete process.env[`AWS_${name}`]
  rmSync(folder, { recursive: true })
})
const url = "http://127.0.0.1:9"

// A token that is read all the same goes nowhere.
process.env["AWS_ENDPOINT_URL_STS"] = url

const models = "https://bedrock-runtime.us-east-1.amazonaws.com"
const aws = (env: Readonly<Record<string, string>>, profile?: string) =>
  makeAwsAuth(
    { region: "us-east-1", profile, roleArn: undefined, fixed: undefined },
    models,
    sourceOf({ AWS_REGION: "us-east-1", ...env })
  )
const refusal = (auth: Auth) =>
  Effect.promise(() =>
    auth.headers({ method: "POST", url: `${models}/x`, headers: {}, body: "{}" }).then(
      () => "sent",
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
    )
  )

/** Files that become FIFOs, which a library's own call would wait for without end, one of them on the event loop. */
const pipe = (name: string) => {
  Bun.spawnSync(["mkfifo", join(folder, name)])
  return join(folder, name)
}
const fifos = [
  {
    kind: "AWS's web identity",
    auth: () => {
      process.env["AWS_WEB_IDENTITY_TOKEN_FILE"] = pipe("web-pipe")
      process.env["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/x"
      return aws({ AWS_WEB_IDENTITY_TOKEN_FILE: "set" })
    }
  },
  {
    kind: "a web identity of AWS's profile",
    auth: () => {
      const token = pipe("profile-pipe")
      const profile = `[profile web]\nrole_arn = arn:aws:iam::1:role/x\nweb_identity_token_file = ${token}\n`
      process.env["AWS_CONFIG_FILE"] = join(folder, "config")
      writeFileSync(join(folder, "config"), profile)
      return aws({}, "web")
    }
  },
  {
    kind: "AWS's shared credentials",
    auth: () => {
      process.env["AWS_SHARED_CREDENTIALS_FILE"] = pipe("credentials-pipe")
      return aws({}, "web")
    }
  },
  {
    kind: "a container's token",
    auth: () => {
      delete process.env["AWS_SHARED_CREDENTIALS_FILE"]
      return aws({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: pipe("token-pipe")
      })
    }
  },
  {
    kind: "Google's application default",
    auth: () =>
      makeGoogleAuth(
        { credentials: undefined, scopes: ["s"] },
        sourceOf({ GOOGLE_APPLICATION_CREDENTIALS: pipe("google-pipe") })
      )
  },
  {
    kind: "Google's workload identity",
    auth: () => {
      const json = {
        type: "external_account",
        audience: "a",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: url,
        credential_source: { file: pipe("subject-pipe") }
      }
      return makeGoogleAuth({ credentials: Redacted.make(JSON.stringify(json)), scopes: ["s"] }, sourceOf({}))
    }
  },
  {
    kind: "Azure's federated token",
    auth: () =>
      makeAzureAuth(
        { tenantId: "t", clientId: "c", clientSecret: undefined, scope: "s/.default" },
        sourceOf({ AZURE_AUTHORITY_HOST: url, AZURE_FEDERATED_TOKEN_FILE: pipe("azure-pipe") })
      )
  }
]

it.live.each(fifos)("the file of $kind is not waited for if it is a FIFO", ({ auth }) =>
  Effect.gen(function* () {
    expect(yield* refusal(yield* auth())).toContain("it is not a regular file")
  })
)
