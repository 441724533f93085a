import { resolve } from "node:path"
import { Either, Redacted } from "effect"
import type { Environment } from "./secretVariable.ts"

/** A bucket of S3 or a compatible server. */
export interface BucketPlace {
  readonly kind: "bucket"
  readonly bucket: string
  /** Prefix of every key, without leading or trailing slashes; may be empty. */
  readonly prefix: string
  /** The server's address, without the bucket. */
  readonly endpoint: string
  readonly region: string
  /** True: the bucket is in the path; false: in the host name. */
  readonly pathStyle: boolean
  /** Undefined if they are found as AWS's own programs find them. */
  readonly keys: BucketKeys | undefined
  /** Of AWS's shared files. */
  readonly profile: string | undefined
  /** A role that is assumed with the keys. */
  readonly roleArn: string | undefined
}

interface BucketKeys {
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken: Redacted.Redacted | undefined
}

/** Storage of the files that the gateway serves: the data directory, another folder or a bucket. */
export type FilesPlace = { readonly kind: "local" } | { readonly kind: "folder"; readonly path: string } | BucketPlace

/** `files` in `gateway.yaml`. */
export interface FilesEntry {
  readonly at?: string | undefined
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly path_style?: boolean | undefined
  readonly access_key_id?: Redacted.Redacted | undefined
  readonly secret_access_key?: Redacted.Redacted | undefined
  readonly session_token?: Redacted.Redacted | undefined
  readonly profile?: string | undefined
  readonly role_arn?: string | undefined
}

/** Environment variables that override `files`. */
export interface FilesVariables {
  readonly GATEWAY_FILES?: string | undefined
  readonly GATEWAY_FILES_ENDPOINT?: string | undefined
  readonly GATEWAY_FILES_REGION?: string | undefined
  readonly GATEWAY_FILES_PATH_STYLE?: boolean | undefined
  readonly GATEWAY_FILES_ACCESS_KEY_ID?: Redacted.Redacted | undefined
  readonly GATEWAY_FILES_SECRET_ACCESS_KEY?: Redacted.Redacted | undefined
}

/**
 * Resolves the storage of files; the environment wins over the file. AWS's own variables are the defaults for a bucket's
 * keys, session token and region. Without them it has no keys, and they are found as AWS's own programs find them.
 * @param folder base of relative paths in the file
 * @returns an error message without the field's path
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
  const keys = keysOf(entry, variables, aws)
  if (Either.isLeft(keys)) return Either.left(keys.left)
  const region = variables.GATEWAY_FILES_REGION ?? entry.region ?? aws("REGION") ?? aws("DEFAULT_REGION") ?? "us-east-1"
  return Either.right({
    kind: "bucket",
    bucket,
    prefix: prefix.split("/").filter(Boolean).join("/"),
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    pathStyle: variables.GATEWAY_FILES_PATH_STYLE ?? entry.path_style ?? true,
    keys: keys.right,
    profile: entry.profile,
    roleArn: entry.role_arn
  })
}

const keysOf = (
  entry: FilesEntry,
  variables: FilesVariables,
  aws: (name: string) => string | undefined
): Either.Either<BucketKeys | undefined, string> => {
  const given = variables.GATEWAY_FILES_ACCESS_KEY_ID ?? entry.access_key_id
  const givenSecret = variables.GATEWAY_FILES_SECRET_ACCESS_KEY ?? entry.secret_access_key
  if (entry.profile !== undefined) {
    const isAlone = given === undefined && givenSecret === undefined
    return isAlone ? Either.right(undefined) : Either.left("expected profile or access_key_id, one of them")
  }
  const variable = (name: string) => {
    const value = aws(name)
    return value === undefined ? undefined : Redacted.make(value)
  }
  // The session token of the environment belongs to its access key.
  const isOwn = (id: Redacted.Redacted) => [undefined, Redacted.value(id)].includes(aws("ACCESS_KEY_ID"))
  const accessKeyId = given ?? variable("ACCESS_KEY_ID")
  const secretAccessKey = givenSecret ?? variable("SECRET_ACCESS_KEY")
  if (accessKeyId === undefined && secretAccessKey === undefined) return Either.right(undefined)
  return accessKeyId === undefined || secretAccessKey === undefined
    ? Either.left("expected access_key_id and secret_access_key together")
    : Either.right({
        accessKeyId,
        secretAccessKey,
        sessionToken: entry.session_token ?? (isOwn(accessKeyId) ? variable("SESSION_TOKEN") : undefined)
      })
}
