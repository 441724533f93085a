import { resolve } from "node:path"
import { Either, Redacted } from "effect"
import type { Environment } from "./document.ts"

/** A bucket of S3, or of what speaks its protocol. */
export interface BucketPlace {
  readonly kind: "bucket"
  readonly bucket: string
  /** What every key begins with, without a slash around it; empty: nothing. */
  readonly prefix: string
  /** The server's address, without the bucket. */
  readonly endpoint: string
  readonly region: string
  /** Whether the bucket is in the path; else it is in front of the server's name. */
  readonly pathStyle: boolean
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken: Redacted.Redacted | undefined
}

/** Where files live that the gateway serves: in the data directory, in another folder, in a bucket. */
export type FilesPlace = { readonly kind: "local" } | { readonly kind: "folder"; readonly path: string } | BucketPlace

/** `files` of the file, with the words that it has there. */
export interface FilesEntry {
  readonly at?: string | undefined
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly path_style?: boolean | undefined
  readonly access_key_id?: Redacted.Redacted | undefined
  readonly secret_access_key?: Redacted.Redacted | undefined
  readonly session_token?: Redacted.Redacted | undefined
}

/** What the environment says instead. */
export interface FilesVariables {
  readonly GATEWAY_FILES?: string | undefined
  readonly GATEWAY_FILES_ENDPOINT?: string | undefined
  readonly GATEWAY_FILES_REGION?: string | undefined
  readonly GATEWAY_FILES_PATH_STYLE?: boolean | undefined
  readonly GATEWAY_FILES_ACCESS_KEY_ID?: Redacted.Redacted | undefined
  readonly GATEWAY_FILES_SECRET_ACCESS_KEY?: Redacted.Redacted | undefined
}

/**
 * Settles where files live; the environment wins over the file. A bucket's keys, session and region are AWS' own
 * variables where nobody gives others.
 * @param folder relative paths of the file begin there
 * @returns what is wrong, without the path of the field
 */
export const filesPlace = (
  entry: FilesEntry,
  folder: string,
  variables: FilesVariables,
  env: Environment
): Either.Either<FilesPlace, string> => {
  const given = variables.GATEWAY_FILES ?? entry.at
  const endpoint = variables.GATEWAY_FILES_ENDPOINT ?? entry.endpoint
  if (given === undefined) {
    return endpoint === undefined ? Either.right({ kind: "local" }) : Either.left("an endpoint needs s3://<bucket>")
  }
  if (!given.includes("://")) {
    return Either.right({
      kind: "folder",
      path: variables.GATEWAY_FILES === undefined ? resolve(folder, given) : given
    })
  }
  const [, bucket = "", prefix = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(given) ?? []
  if (bucket === "") return Either.left("expected s3://<bucket>/<prefix> or a folder")
  const aws = (name: string) => {
    const value = env[`AWS_${name}`]
    return value === undefined || value === "" ? undefined : value
  }
  const secret = (name: string) => (aws(name) === undefined ? undefined : Redacted.make(aws(name) ?? ""))
  const accessKeyId = variables.GATEWAY_FILES_ACCESS_KEY_ID ?? entry.access_key_id ?? secret("ACCESS_KEY_ID")
  const secretAccessKey =
    variables.GATEWAY_FILES_SECRET_ACCESS_KEY ?? entry.secret_access_key ?? secret("SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return Either.left("a bucket needs access_key_id and secret_access_key")
  }
  const region = variables.GATEWAY_FILES_REGION ?? entry.region ?? aws("REGION") ?? "us-east-1"
  return Either.right({
    kind: "bucket",
    bucket,
    prefix: prefix.split("/").filter(Boolean).join("/"),
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    pathStyle: variables.GATEWAY_FILES_PATH_STYLE ?? entry.path_style ?? true,
    accessKeyId,
    secretAccessKey,
    sessionToken: entry.session_token ?? secret("SESSION_TOKEN")
  })
}
