import { S3Client } from "bun"
import { Redacted } from "effect"
import type { BucketPlace } from "../../src/config/filesPlace.ts"
import { motoProgram } from "./moto.ts"
import { freePort } from "../freePort.ts"

/** A server of S3 of a test's own, with a bucket `files` in it. */
export interface BucketServer {
  readonly endpoint: string
  readonly place: BucketPlace
  /** A client beside the one that is tested. */
  readonly client: S3Client
  /** What tells a gateway in a process of its own to use it. */
  readonly env: Readonly<Record<string, string>>
  /** Every key that is there. */
  readonly keys: () => Promise<ReadonlyArray<string>>
  /** Whether an upload was begun and neither completed nor given up. */
  readonly hasOpenUploads: () => Promise<boolean>
  readonly stop: () => Promise<void>
  /** Begins it anew, on the same port and without what it had. */
  readonly start: () => Promise<void>
}

const moto = await motoProgram()

/** Says so, once a file, where tests are skipped for want of one. */
export const withoutBucket = (file: string): boolean => {
  if (moto === undefined) console.log(`skipped: ${file}, moto can't be installed here (python3-venv and PyPI)`)
  return moto === undefined
}

export const startBucket = async (): Promise<BucketServer> => {
  const port = freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const run = () =>
    Bun.spawn([moto ?? "", "-H", "127.0.0.1", "-p", String(port)], { stdout: "ignore", stderr: "ignore" })
  let server = run()
  const isUp = () =>
    fetch(`${endpoint}/files`, { method: "PUT" }).then(
      ({ ok }) => ok,
      () => false
    )
  const up = async () => {
    while (!(await isUp())) {
      if (server.exitCode !== null) throw new Error(`moto ended with ${server.exitCode}`)
      await Bun.sleep(50)
    }
  }
  await up()
  const client = new S3Client({ endpoint, bucket: "files", accessKeyId: keyId, secretAccessKey: secret })
  return {
    endpoint,
    client,
    place: {
      kind: "bucket",
      bucket: "files",
      prefix: "gateway",
      endpoint,
      region: "us-east-1",
      pathStyle: true,
      keys: { accessKeyId: Redacted.make(keyId), secretAccessKey: Redacted.make(secret), sessionToken: undefined },
      profile: undefined,
      roleArn: undefined
    },
    env: {
      GATEWAY_FILES: "s3://files/gateway",
      GATEWAY_FILES_ENDPOINT: endpoint,
      GATEWAY_FILES_ACCESS_KEY_ID: keyId,
      GATEWAY_FILES_SECRET_ACCESS_KEY: secret
    },
    keys: async () => ((await client.list()).contents ?? []).map(({ key }) => key),
    hasOpenUploads: async () => (await (await fetch(`${endpoint}/files?uploads`)).text()).includes("<Upload>"),
    stop: async () => {
      server.kill("SIGKILL")
      await server.exited
    },
    start: async () => {
      server = run()
      await up()
    }
  }
}

const keyId = "planted-key-id"
const secret = "planted-bucket-secret"
