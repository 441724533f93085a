import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted, TestClock } from "effect"
import type { BucketPlace } from "../../src/config/filesPlace.ts"
import { FileStore } from "../../src/files/FileStore.ts"
import { sourceOf } from "../credentials/sourceOf.ts"
import { startBucket, withoutBucket } from "./bucketServer.ts"
import type { BucketServer } from "./bucketServer.ts"
import { clip, piecesOf } from "./clips.ts"

const directory = mkdtempSync(join(tmpdir(), "bucket-credentials-"))
const tokenFile = join(directory, "web.token")
writeFileSync(tokenFile, "web-identity")
const role = "arn:aws:iam::123456789012:role/gateway"

/** AWS's library reads the variables of the process. */
const webIdentity = (sts: string) => {
  const env = {
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: role,
    AWS_ENDPOINT_URL_STS: sts,
    AWS_REGION: "eu-central-1"
  }
  Object.assign(process.env, env)
  return env
}
afterEach(() => {
  for (const name of ["WEB_IDENTITY_TOKEN_FILE", "ROLE_ARN", "ENDPOINT_URL_STS", "REGION"]) {
    delete process.env[`AWS_${name}`]
  }
  delete process.env["AWS_EC2_METADATA_SERVICE_ENDPOINT"]
})
afterAll(() => rmSync(directory, { recursive: true }))

const placeAt = (endpoint: string): BucketPlace => ({
  kind: "bucket",
  bucket: "files",
  prefix: "gateway",
  endpoint,
  region: "eu-central-1",
  pathStyle: true,
  keys: undefined,
  profile: undefined,
  roleArn: undefined
})
const storeAt = (endpoint: string, env: Readonly<Record<string, string>>) =>
  Effect.provide(FileStore, FileStore.layer(placeAt(endpoint), directory, sourceOf(env)))
const incoming = () => ({
  read: piecesOf(clip),
  maxBytes: Infinity,
  freeBytes: 0,
  is: "video" as const,
  synced: true
})

describe.skipIf(withoutBucket("test/files/bucketCredentials.test.ts"))(
  "a bucket that knows the caller by a role",
  () => {
    let bucket: BucketServer
    beforeAll(async () => {
      bucket = await startBucket()
      // From the next call but one on, moto checks keys, session tokens, signatures and policies.
      const iam = (action: string, fields: Readonly<Record<string, string>>) =>
        fetch(bucket.endpoint, {
          method: "POST",
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            authorization:
              "AWS4-HMAC-SHA256 Credential=mock/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
          },
          body: new URLSearchParams({
            Action: action,
            Version: "2010-05-08",
            RoleName: "gateway",
            ...fields
          }).toString()
        }).then(async (answer) => expect(answer.status, await answer.text()).toBe(200))
      const statement = (more: object) =>
        JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...more }] })
      await iam("CreateRole", {
        AssumeRolePolicyDocument: statement({ Principal: { Federated: "*" }, Action: "sts:AssumeRoleWithWebIdentity" })
      })
      await iam("PutRolePolicy", { PolicyName: "files", PolicyDocument: statement({ Action: "s3:*", Resource: "*" }) })
      await fetch(`${bucket.endpoint}/moto-api/reset-auth`, { method: "POST", body: "1" })
    })
    afterAll(() => bucket?.stop())

    it.scopedLive("is opened by a web identity, and signed in its region", () =>
      Effect.gen(function* () {
        const files = yield* storeAt(bucket.endpoint, webIdentity(bucket.endpoint))
        yield* files.write("kept/a/video.mp4", incoming())
        const stored = Option.getOrThrow(yield* files.find("kept/a/video.mp4"))
        const bytes = yield* Effect.promise(() => new Response(stored.part(0, clip.length - 1)).bytes())
        expect(Buffer.from(bytes).equals(clip)).toBe(true)
        expect(yield* files.older("kept", Date.now() + 3_600_000)).toEqual(["kept/a/video.mp4"])
        yield* files.remove("kept/a/video.mp4")
        expect(yield* files.find("kept/a/video.mp4")).toEqual(Option.none())
        // Keys that it does not know open nothing.
        yield* Effect.promise(() => expect(bucket.keys()).rejects.toMatchObject({ code: "InvalidAccessKeyId" }))
      })
    )
  }
)

describe("a bucket's credentials", () => {
  /** STS and a bucket that accepts the session of the newest credentials alone. */
  const state = { given: 0, newest: 0, isDown: false, seen: [] as Array<string> }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (new URL(request.url).pathname === "/sts/") {
        if (state.isDown) return new Response("down", { status: 503 })
        const at = (state.newest = ++state.given)
        const end = new Date(Date.now() + 3_600_000).toISOString()
        return new Response(
          `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">` +
            `<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA${at}</AccessKeyId>` +
            `<SecretAccessKey>planted-secret-${at}</SecretAccessKey><SessionToken>planted-session-${at}</SessionToken>` +
            `<Expiration>${end}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
          { headers: { "content-type": "text/xml" } }
        )
      }
      await request.arrayBuffer()
      const token = request.headers.get("x-amz-security-token")
      const region = /Credential=[^/]+\/\d+\/([^/]+)\/s3\//.exec(request.headers.get("authorization") ?? "")?.[1]
      state.seen.push(`${request.method} ${token} ${region}`)
      if (token !== `planted-session-${state.newest}`) {
        const text = "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
        return new Response(request.method === "HEAD" ? null : text, { status: 400 })
      }
      const headers = { "last-modified": new Date().toUTCString(), etag: '"x"' }
      if (request.method === "HEAD") return new Response("x".repeat(clip.length), { headers })
      if (request.method === "GET") return new Response("<ListBucketResult></ListBucketResult>")
      return new Response(null, { status: request.method === "DELETE" ? 204 : 200, headers })
    }
  })
  const url = `http://127.0.0.1:${server.port}`
  afterAll(() => server.stop(true))

  it.scopedLive("that are refused are fetched anew once, and the call is sent once more", () =>
    Effect.gen(function* () {
      const files = yield* storeAt(url, webIdentity(`${url}/sts/`))
      expect(yield* files.find("kept/a/video.mp4")).toMatchObject({ value: { size: clip.length } })
      state.seen.length = 0
      state.newest = 0
      yield* files.find("kept/a/video.mp4")
      expect(state.seen).toEqual(["HEAD planted-session-1 eu-central-1", "HEAD planted-session-2 eu-central-1"])
      expect(state.given).toBe(2)
    })
  )

  it.scoped("come after an outage of their service, during which the gateway starts", () =>
    Effect.gen(function* () {
      state.isDown = true
      const files = yield* storeAt(url, webIdentity(`${url}/sts/`))
      const failed = yield* Effect.flip(files.find("kept/a/video.mp4"))
      expect(failed.message).toContain("s3://files/gateway: no AWS credentials: their service answers with status 503")
      expect(files.isAway()).toBe(true)
      state.isDown = false
      // Their source is asked again 5 seconds after a failure.
      yield* TestClock.adjust("5 seconds")
      expect(yield* files.find("kept/a/video.mp4")).toMatchObject({ value: { size: clip.length } })
      expect(files.isAway()).toBe(false)
    })
  )

  it.scopedLive("without a session token get none of the environment's", () =>
    Effect.gen(function* () {
      const keys = { accessKeyId: Redacted.make("id"), secretAccessKey: Redacted.make("s"), sessionToken: undefined }
      const layer = FileStore.layer({ ...placeAt(url), keys }, directory, sourceOf({ AWS_SESSION_TOKEN: "others" }))
      expect(yield* Effect.flip(Effect.provide(FileStore, layer))).toMatchObject({
        message: expect.stringContaining("unset S3_SESSION_TOKEN and AWS_SESSION_TOKEN")
      })
    })
  )

  it.scopedLive("that can't be found stop the start, in a line without secrets", () =>
    Effect.gen(function* () {
      process.env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://127.0.0.1:1"
      const failed = yield* Effect.flip(storeAt(url, { AWS_PROFILE: "nowhere" }))
      expect(failed).toMatchObject({
        _tag: "BadSettings",
        message: expect.stringMatching(/^files: s3:\/\/files\/gateway: no AWS credentials: /)
      })
    })
  )
})
