import { createPrivateKey, X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { Data, Effect } from "effect"
import { readFile, stampOf } from "../config/watchedFile.ts"
import type { UnreadableFile } from "../flow/RegularFiles.ts"

/** Paths of the PEM files; `cert` includes the chain. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** The section that has `tls`. */
export type TlsSetting = "server" | "server.admin"

/** A server certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Expiry in Unix ms. */
  readonly endsAtMs: number
}

/** An unusable certificate. The message is one line that names the setting and holds nothing of the key. */
export class BadCertificate extends Data.TaggedError("BadCertificate")<{ readonly message: string }> {}

/** Longer files are refused, in bytes. */
const longest = 1024 * 1024

/**
 * Reads both files and checks that they belong together.
 *
 * @param setting whose `tls` they are, for messages
 */
export const readCertificate = (
  files: CertificateFiles,
  setting: TlsSetting = "server"
): Effect.Effect<Certificate, BadCertificate> =>
  Effect.gen(function* () {
    const cert = yield* read(`${setting}.tls.cert`, files.cert)
    const key = yield* read(`${setting}.tls.key`, files.key)
    const certificate = yield* Effect.try({
      try: () => new X509Certificate(cert),
      catch: () => new BadCertificate({ message: `${setting}.tls.cert: ${files.cert} holds no certificate in PEM` })
    })
    const secret = yield* Effect.try({
      try: () => createPrivateKey(key),
      catch: () =>
        new BadCertificate({
          message: `${setting}.tls.key: ${files.key} holds no private key in PEM without a passphrase`
        })
    })
    if (!certificate.checkPrivateKey(secret)) {
      return yield* new BadCertificate({ message: `${setting}.tls.key: ${files.key} is not the key of ${files.cert}` })
    }
    // Checks the rest of the chain, which `X509Certificate` ignores, so that listening can't fail on it.
    yield* Effect.try({
      try: () => createSecureContext({ cert, key }),
      catch: () =>
        new BadCertificate({ message: `${setting}.tls.cert: ${files.cert} holds a chain that can't be read` })
    })
    return { cert, key, endsAtMs: Date.parse(certificate.validTo) }
  })

const read = (setting: string, path: string) =>
  Effect.mapError(
    readFile(path, longest),
    ({ reason }) => new BadCertificate({ message: `${setting}: ${path} can't be read (${reason})` })
  )

/** Identifies a version of the files. Fails if they do not answer. */
export const versionOf = ({ cert, key }: CertificateFiles): Effect.Effect<string, UnreadableFile> =>
  Effect.map(Effect.forEach([cert, key], stampOf), (stamps) => stamps.map((stamp) => stamp ?? "").join(", "))
