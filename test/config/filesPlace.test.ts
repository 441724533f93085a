import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Option, Redacted } from "effect"
import { Settings } from "../../src/config/Settings.ts"

const folder = mkdtempSync(join(tmpdir(), "files-place-"))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, "gateway.yaml")

const settled = (yaml: string, env: Record<string, string> = {}) =>
  Effect.suspend(() => {
    writeFileSync(path, yaml)
    return Effect.either(Effect.provide(Settings, Settings.from({ GATEWAY_CONFIG: path, ...env })))
  })
const placeOf = (yaml: string, env: Record<string, string> = {}) =>
  Effect.map(settled(yaml, env), (settings) => Either.getOrThrow(settings).files)
const complaint = (yaml: string, env: Record<string, string> = {}) =>
  Effect.map(settled(yaml, env), (settings) => Either.getOrThrow(Either.flip(settings)).message)

const keys = "access_key_id: id, secret_access_key: planted-secret"
const aws = { AWS_ACCESS_KEY_ID: "aws-id", AWS_SECRET_ACCESS_KEY: "aws-secret" }

describe("files", () => {
  it.effect("are in the data directory by default", () =>
    Effect.gen(function* () {
      expect(yield* placeOf("")).toEqual({ kind: "local" })
      expect(yield* placeOf("files: { max_bytes: 5 }", aws)).toEqual({ kind: "local" })
    })
  )

  it.effect("are in a folder beside the file, or where the environment says", () =>
    Effect.gen(function* () {
      expect(yield* placeOf("files: shared")).toEqual({ kind: "folder", path: join(folder, "shared") })
      expect(yield* placeOf("files: { at: /mnt/shared }")).toEqual({ kind: "folder", path: "/mnt/shared" })
      expect(yield* placeOf("files: /mnt/shared", { GATEWAY_FILES: "/mnt/other" })).toEqual({
        kind: "folder",
        path: "/mnt/other"
      })
    })
  )

  it.effect("are in a bucket, with AWS as the rest is left out", () =>
    Effect.gen(function* () {
      expect(yield* placeOf("files: s3://videos/a/b/", { ...aws, AWS_REGION: "eu-central-1" })).toEqual({
        kind: "bucket",
        bucket: "videos",
        prefix: "a/b",
        endpoint: "https://s3.eu-central-1.amazonaws.com",
        region: "eu-central-1",
        pathStyle: true,
        keys: {
          accessKeyId: Redacted.make("aws-id"),
          secretAccessKey: Redacted.make("aws-secret"),
          sessionToken: undefined
        },
        profile: undefined,
        roleArn: undefined
      })
    })
  )

  it.effect("are in a bucket of another server; the environment wins", () =>
    Effect.gen(function* () {
      const yaml = `files: { at: "s3://videos", endpoint: "http://minio:9000", region: here, path_style: false, session_token: t, ${keys} }`
      expect(yield* placeOf(yaml, aws)).toEqual({
        kind: "bucket",
        bucket: "videos",
        prefix: "",
        endpoint: "http://minio:9000",
        region: "here",
        pathStyle: false,
        keys: {
          accessKeyId: Redacted.make("id"),
          secretAccessKey: Redacted.make("planted-secret"),
          sessionToken: Redacted.make("t")
        },
        profile: undefined,
        roleArn: undefined
      })
      const env = {
        GATEWAY_FILES: "s3://others/p",
        GATEWAY_FILES_ENDPOINT: "http://127.0.0.1:1",
        GATEWAY_FILES_REGION: "there",
        GATEWAY_FILES_PATH_STYLE: "true",
        GATEWAY_FILES_ACCESS_KEY_ID: "other",
        GATEWAY_FILES_SECRET_ACCESS_KEY: "other-secret"
      }
      expect(yield* placeOf(yaml, env)).toMatchObject({
        bucket: "others",
        prefix: "p",
        endpoint: "http://127.0.0.1:1",
        region: "there",
        pathStyle: true,
        keys: { accessKeyId: Redacted.make("other"), secretAccessKey: Redacted.make("other-secret") }
      })
      expect(JSON.stringify(yield* placeOf(yaml))).not.toContain("planted")
    })
  )

  it.effect("have the session token of the environment with its access key alone", () =>
    Effect.gen(function* () {
      const env = { ...aws, AWS_SESSION_TOKEN: "token" }
      const tokenOf = (given: unknown) => ({ keys: { sessionToken: given } })
      expect(yield* placeOf("files: s3://videos", env)).toMatchObject(tokenOf(Redacted.make("token")))
      expect(yield* placeOf(`files: { at: "s3://videos", ${keys} }`, env)).toMatchObject(tokenOf(undefined))
    })
  )

  it.effect("are in a bucket whose keys are found as AWS's programs find them, where none are written", () =>
    Effect.gen(function* () {
      expect(yield* placeOf("files: s3://videos", { AWS_DEFAULT_REGION: "eu-west-1" })).toMatchObject({
        region: "eu-west-1",
        keys: undefined
      })
      const yaml = "files: { at: s3://videos, profile: team, role_arn: role }"
      expect(yield* placeOf(yaml, aws)).toMatchObject({ keys: undefined, profile: "team", roleArn: "role" })
    })
  )

  it.effect("that can't be are refused with their line, and without what was written", () =>
    Effect.gen(function* () {
      expect(yield* complaint("\nfiles: { at: s3://videos, access_key_id: id }")).toBe(
        `${path}:2: files: expected access_key_id and secret_access_key together`
      )
      expect(yield* complaint(`files: { at: s3://videos, profile: team, ${keys} }`)).toContain("one of them")
      for (const written of ["s3://planted:secret@x/y", "s3://", "s3://Videos", "https://planted.example.com"]) {
        expect(yield* complaint(`files: "${written}"`, aws)).toBe(
          `${path}:1: files: expected s3://<bucket>/<prefix> or a folder`
        )
      }
      expect(yield* complaint("", { GATEWAY_FILES: "ftp://planted" })).toBe(
        "GATEWAY_FILES: expected s3://<bucket>/<prefix> or a folder"
      )
      expect(yield* complaint(`files: { endpoint: "http://minio:9000" }`)).toContain("an endpoint needs s3://<bucket>")
      expect(yield* complaint("files: { at: x, bucket: y }")).toContain("bucket")
    })
  )
})

describe("custody", () => {
  it.effect("is off, or for so long", () =>
    Effect.gen(function* () {
      const kept = (yaml: string) => Effect.map(settled(yaml), (settings) => Either.getOrThrow(settings).custody)
      expect(yield* kept("")).toEqual(Option.none())
      for (const [span, length] of [
        ["30d", "30 days"],
        ["12h", "12 hours"],
        ["90m", "90 minutes"],
        ["45s", "45 seconds"]
      ] as const) {
        expect(yield* kept(`custody: { keep: ${span} }`)).toEqual(Option.some(Duration.decode(length)))
      }
      for (const span of ["30", "0d", "-1d", "1.5d", "30 days", "999999999999d"]) {
        expect(yield* complaint(`custody: { keep: "${span}" }`)).toContain("custody.keep: expected a number of days")
      }
    })
  )
})
