import { Effect } from "effect"
import type { AwsCredentialIdentity } from "@smithy/types"
import { NoCredentials } from "./Auth.ts"
import { awsCredentials } from "./awsCredentials.ts"
import type { AwsSettings } from "./awsCredentials.ts"
import { renewed } from "./Renewed.ts"
import type { Source } from "./Source.ts"

/** AWS's credentials, renewed ahead of their end. */
export const renewedAws = (settings: AwsSettings, source: Source) =>
  renewed<AwsCredentialIdentity>(
    Effect.map(
      Effect.tryPromise({
        try: () => awsCredentials(settings, source),
        catch: (cause) =>
          new NoCredentials({
            message: `no AWS credentials: ${cause instanceof Error ? cause.message : String(cause)}`
          })
      }),
      (value) => ({ value, endsAtMs: value.expiration?.getTime() })
    )
  )
