import { useSignal } from "@preact/signals"
import type { WaitingProgram } from "../../src/people/programs/Api.ts"
import { isNotFound } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { TextField } from "../parts/fields.tsx"
import { useField, wrong } from "../parts/form.ts"
import { Complaint, LetIn } from "../parts/LetIn.tsx"
import type { Decision } from "../parts/LetIn.tsx"
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
  const { client } = useApp()
  const { code } = program
  const decide = async (decision: Decision) => {
    await client.console(({ devices }) => devices.decide({ payload: { code, ...decision } }))
    decided(decision.approve)
  }
  return (
    <LetIn decide={decide}>
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
    </LetIn>
  )
}
