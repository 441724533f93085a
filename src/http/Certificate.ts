import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { createSecureContext } from "node:tls"
import { Data, Effect } from "effect"

/** Where a certificate and its key are: PEM files; the certificate's holds the chain behind it. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** What a server shows those who connect. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** When it ends, Unix ms. */
  readonly endsAtMs: number
}

/** A certificate that can't be used; the message is one line that names the setting, and nothing of the key. */
export class BadCertificate extends Data.TaggedError("BadCertificate")<{ readonly message: string }> {}

/** Longer files are none of these. */
const longest = 1024 * 1024

/** Reads both files and looks whether they belong together. */
export const readCertificate = (files: CertificateFiles): Effect.Effect<Certificate, BadCertificate> =>
  Effect.gen(function* () {
    const cert = yield* read("cert", files.cert)
    const key = yield* read("key", files.key)
    const certificate = yield* Effect.try({
      try: () => new X509Certificate(cert),
      catch: () => new BadCertificate({ message: `server.tls.cert: ${files.cert} holds no certificate in PEM` })
    })
    const secret = yield* Effect.try({
      try: () => createPrivateKey(key),
      catch: () =>
        new BadCertificate({ message: `server.tls.key: ${files.key} holds no private key in PEM without a passphrase` })
    })
    if (!certificate.checkPrivateKey(secret)) {
      return yield* new BadCertificate({ message: `server.tls.key: ${files.key} is not the key of ${files.cert}` })
    }
    // What is behind the first certificate is read by who listens alone, who must not fail at it.
    yield* Effect.try({
      try: () => createSecureContext({ cert, key }),
      catch: () => new BadCertificate({ message: `server.tls.cert: ${files.cert} holds a chain that can't be read` })
    })
    return { cert, key, endsAtMs: Date.parse(certificate.validTo) }
  })

const read = (setting: "cert" | "key", path: string) =>
  Effect.try({
    try: () => {
      if (statSync(path).size > longest) throw new Error("too long")
      return readFileSync(path, "utf8")
    },
    catch: () => new BadCertificate({ message: `server.tls.${setting}: ${path} can't be read` })
  })

/** What tells one version of the files from another. */
export const versionOf = ({ cert, key }: CertificateFiles): string =>
  [cert, key]
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`
    })
    .join(", ")
