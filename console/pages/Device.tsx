import { useSignal } from "@preact/signals"
import type { WaitingProgram } from "../../src/people/programs/Api.ts"
import { actingIn } from "../actingIn.ts"
import { isNotFound, Refused } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Button } from "../parts/Button.tsx"
import { Select, TextField } from "../parts/fields.tsx"
import { useField, wrong } from "../parts/form.ts"
import { Part } from "../parts/states.tsx"
import { Fact, Facts, PageHead, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"

const text = words.device

/** The page on which a person lets a program in. A code in the address is shown, never sent by itself. */
export const Device = () => {
  const { route, session } = useApp()
  const code = route().query.get("user_code") ?? ""
  return (
    <>
      <PageHead title={text.title} />
      <div class="device">
        {session.person !== true ? (
          <p class="note warn">{text.notPerson}</p>
        ) : code === "" ? (
          <Ask />
        ) : (
          <Waiting key={code} code={code} />
        )}
      </div>
    </>
  )
}

const Ask = () => {
  const { go } = useApp()
  const code = useField()
  const complaint = useSignal("")
  const next = () => {
    const letters = code.value.value.toUpperCase().replaceAll(/[^A-Z]/g, "")
    if (letters.length !== 8) complaint.value = wrong(code, text.noCode).message
    else go(hrefOf("device", undefined, { user_code: `${letters.slice(0, 4)}-${letters.slice(4)}` }))
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        next()
      }}
    >
      <p class="quiet">{text.about}</p>
      <TextField id="code" label={text.code} hint={text.codeHint} look="mono" of={code} />
      <Complaint of={complaint.value} />
      <button type="submit" class="button primary">
        {text.next}
      </button>
    </form>
  )
}

const Waiting = ({ code }: { readonly code: string }) => {
  const { client } = useApp()
  const decided = useSignal<boolean | undefined>(undefined)
  const program = useData(() =>
    client
      .console(({ devices }) => devices.show({ payload: { code } }))
      .catch((error: unknown) => {
        // A wrong code is not asked for again.
        if (isNotFound(error)) return null
        throw error
      })
  )
  if (decided.value !== undefined) return <Decided isApproved={decided.value} />
  return (
    <Part of={program} what={text.program}>
      {(waiting) =>
        waiting === null ? (
          <>
            <p class="note warn" role="alert">
              {text.none(code)}
            </p>
            <Another />
          </>
        ) : (
          <Decide program={waiting} decided={(isApproved) => (decided.value = isApproved)} />
        )
      }
    </Part>
  )
}

const Decided = ({ isApproved }: { readonly isApproved: boolean }) => (
  <div role="status">
    <h2>{isApproved ? text.approved : text.denied}</h2>
    <p class="quiet">{isApproved ? text.approvedText : text.deniedText}</p>
    <Another />
  </div>
)

const Another = () => (
  <p>
    <a href={hrefOf("device")}>{text.another}</a>
  </p>
)

interface DecideProps {
  readonly program: WaitingProgram
  readonly decided: (isApproved: boolean) => void
}

const Decide = ({ decided, program }: DecideProps) => {
  const { catalogue, client, session } = useApp()
  const complaint = useSignal("")
  const isRunning = useSignal(false)
  const account = useField(actingIn.account() ?? session.accounts?.[0])
  const accounts = useData(async () => session.accounts ?? (await catalogue.accounts()).map(({ id }) => id))
  const decide = async (approve: boolean) => {
    isRunning.value = true
    const chosen = account.value.value === "" ? (accounts.value?.[0] ?? "") : account.value.value
    const { code } = program
    const payload = approve ? { code, approve, account: chosen } : { code, approve }
    try {
      await client.console(({ devices }) => devices.decide({ payload }))
      decided(approve)
    } catch (error) {
      complaint.value = error instanceof Refused ? error.message : words.failed.unknown
    } finally {
      isRunning.value = false
    }
  }
  return (
    <Part of={accounts} what={text.account}>
      {(ids) => (
        <>
          <p class="device-code mono">{program.code}</p>
          <p>{text.compare}</p>
          <Facts>
            <Fact name={text.program}>{program.program || text.unnamed}</Fact>
            <Fact name={text.client}>{program.client}</Fact>
            <Fact name={text.from}>{program.address}</Fact>
            <Fact name={text.ends}>
              <When at={program.expires_at} />
            </Fact>
            <Fact name={text.gets} isWide>
              {program.issues === "key" ? text.key : text.token}
            </Fact>
          </Facts>
          {ids.length === 0 ? (
            <p class="note warn">{text.noAccount}</p>
          ) : (
            <Select
              id="account"
              label={text.account}
              hint={text.accountHint}
              of={account}
              choices={ids.map((id) => [id, id] as const)}
            />
          )}
          <Complaint of={complaint.value} />
          <div class="actions">
            <Button look="primary" disabled={isRunning.value || ids.length === 0} onClick={() => void decide(true)}>
              {text.approve}
            </Button>
            <Button disabled={isRunning.value} onClick={() => void decide(false)}>
              {text.deny}
            </Button>
          </div>
        </>
      )}
    </Part>
  )
}

const Complaint = ({ of }: { readonly of: string }) => (
  <p class="field-error" role="alert" hidden={of === ""}>
    {of}
  </p>
)
