import binding from '../binding.js';
import { callable, object, string } from '../arguments.js';
import { TenureError, invalidArgument, invalidThis, invalidValue } from '../errors.js';
import { accepted } from './answers.js';
import { callOf, type Call } from './call.js';
import { scopeOf } from './identifiers.js';
import { OperationJournal, promised, reference } from './journal.js';
import { OperationLogs } from './logs.js';
import { planOf } from './plan.js';
import { inputText, timeOf } from './reading.js';
import { OperationRunner } from './runner.js';
import { CompiledSchema } from './schema.js';
import type {
  JsonObject,
  JsonSchema,
  OperationLog,
  OperationPage,
  OperationPlan,
  OperationStatus,
  PlainInput,
  Reservation,
} from './values.js';

/** `read` may call status, list and log; `effect` may also call start, cancel and plan. */
export type Authority = 'read' | 'effect';
/** What a caller of a service may ask for. */
export type Verb = 'start' | 'status' | 'list' | 'log' | 'cancel' | 'plan';

/** Exactly these fields; null is the same as left out. `start`, `cancel` and `plan` need `effect`. */
export interface OperationCalls {
  /** Start it, or find that it was started. */
  start: { readonly op: 'start'; readonly operationId: string; readonly input: PlainInput };
  /** The full record. */
  status: { readonly op: 'status'; readonly operationId: string };
  /** A page of the scope, newest first. */
  list: { readonly op: 'list'; readonly offset?: number | null };
  /** A slice of its log. */
  log: { readonly op: 'log'; readonly operationId: string; readonly offset?: number | null };
  /** Ask for its end. */
  cancel: { readonly op: 'cancel'; readonly operationId: string };
  /** Ask for an estimate to review. */
  plan: { readonly op: 'plan'; readonly input: PlainInput };
}
/** Any of the calls. */
export type OperationCall = OperationCalls[Verb];

/** What each verb is answered with. */
export interface OperationAnswers {
  /** The row, made now or before. */
  start: OperationStatus;
  /** The row. */
  status: OperationStatus;
  /** The page. */
  list: OperationPage;
  /** The slice; of an unknown log, an empty one. */
  log: OperationLog;
  /** The row, ended or not: acceptance is not termination. */
  cancel: OperationStatus;
  /** The plan, held by this service. */
  plan: OperationPlan;
}

/** What a plan function returns: a plan, of which the service can fill in the digest. */
export interface PlanDraft {
  /** If given, must be the right one. */
  readonly planDigest?: string;
  /** 1 to 512 Unicode scalar values, shown to whoever decides. */
  readonly summary: string;
  /** A whole number of at least 0; left out or null: not estimated. */
  readonly estimatedSeconds?: number | null;
  /** Whole millionths of whatever you count in; left out or null: not estimated. */
  readonly estimatedCostMicrounits?: number | null;
  /** Milliseconds since the Unix epoch, by the clock of the journal. */
  readonly expiresAt: number;
  /** What to start with, if it is to be another input than was asked about. */
  readonly input?: PlainInput | null;
}

/** What a service works with: all of one scope, and of one thread. */
export interface ServiceOptions {
  /** The descriptor whose operations it speaks for. */
  readonly scope: string;
  /** Where they are recorded. */
  readonly journal: OperationJournal;
  /** Where their logs are. */
  readonly logs: OperationLogs;
  /** Of the same scope. */
  readonly runner: OperationRunner;
  /** Gets the input of a plan call, less its `planDigest`. */
  readonly plan: (input: JsonObject) => Promise<PlanDraft>;
  /** Judges the input of start and plan, less its `planDigest`: `ERR_INPUT_REFUSED`. */
  readonly inputSchema?: JsonSchema;
}

const EFFECTS: readonly unknown[] = ['start', 'cancel', 'plan'];

/** By the number that the core judges a plan with. */
const VERDICTS = [undefined, 'expired', 'mismatch'] as const;

const unused = new FinalizationRegistry<number>((plans) => {
  binding.plansDrop(plans);
});

/** An input, read: the whole of it, and what is left of it without its `planDigest`. */
interface Input {
  readonly text: string;
  readonly planDigest: unknown;
  readonly rest: JsonObject;
  readonly restText: string;
}

/**
 * The verbs of one scope, for callers that are not trusted with the journal: each call has exactly the
 * fields of its verb, under an authority that you decide. Belongs to the thread that made it; what it
 * answers is plain data. Seed 2.
 */
export class OperationService {
  private readonly _scope: string;
  private readonly _journal: OperationJournal;
  private readonly _logs: OperationLogs;
  private readonly _runner: OperationRunner;
  private readonly _plan: (input: JsonObject) => Promise<PlanDraft>;
  private readonly _schema: CompiledSchema | undefined;
  private readonly _plans: number;

  /** `ERR_SCHEMA_INVALID`; `ERR_INVALID_ARG_VALUE` for a runner of another scope. */
  constructor(options: ServiceOptions) {
    const { scope, journal, logs, runner, plan, inputSchema } = object(
      options,
      'options',
    ) as ServiceOptions;
    this._scope = scopeOf(string(scope, 'options.scope'), 'options.scope');
    if (!(journal instanceof OperationJournal))
      throw invalidArgument('options.journal', 'an OperationJournal');
    if (!(logs instanceof OperationLogs)) throw invalidArgument('options.logs', 'an OperationLogs');
    if (!(runner instanceof OperationRunner))
      throw invalidArgument('options.runner', 'an OperationRunner');
    this._journal = journal;
    this._logs = logs;
    this._runner = runner;
    this._plan = callable(plan, 'options.plan');
    this._schema =
      inputSchema === undefined
        ? undefined
        : new CompiledSchema(inputSchema, 'options.inputSchema');
    if (runner._of !== this._scope) throw invalidValue('options.runner', 'of the same scope');
    this._plans = binding.plansOpen();
    unused.register(this, this._plans);
  }

  /**
   * Runs one verb. Refused in this order: `ERR_CALL_SHAPE`; `ERR_AUTHORITY`; only then is anything looked
   * at or called.
   *
   * | verb | what it does |
   * | --- | --- |
   * | start | Reserves under `inputDigest(scope, input)` and wakes the runner. Refusals of `reserve`. An id that the fence holds is answered by it alone. Otherwise an input with a `planDigest` must be that of a plan which this service issued for this input and still holds, else `ERR_PLAN_MISMATCH`, and which has not expired by the journal's clock, else `ERR_PLAN_EXPIRED`. A plan may be used more than once. |
   * | status | `ERR_OPERATION_UNKNOWN`. |
   * | list | `journal.page` of the scope. |
   * | log | `logs.read` from `offset`, default 0; an unknown log is empty. |
   * | cancel | `runner.requestCancel`. |
   * | plan | Calls `plan`. `ERR_PLAN_FAILED`; a `TenureError` that it throws is passed on. The answer is held, with the 999 issued last before it, in memory, also once expired. |
   */
  async dispatch<V extends Verb>(
    call: OperationCalls[V] & { readonly op: V },
    authority: Authority,
  ): Promise<OperationAnswers[V]> {
    const isMade = this instanceof OperationService && typeof this._scope === 'string';
    if (!isMade) throw invalidThis('OperationService');
    if (typeof authority !== 'string') throw invalidArgument('authority', 'a string');
    if (authority !== 'read' && authority !== 'effect')
      throw invalidValue('authority', "'read' or 'effect'");
    const asked = callOf(call);
    if (authority === 'read' && EFFECTS.includes(asked.op))
      throw new TenureError('ERR_AUTHORITY', `${asked.op} needs the authority of effect`);
    return (await this._dispatched(asked)) as OperationAnswers[V];
  }

  private _dispatched(call: Call): Promise<unknown> | unknown {
    switch (call.op) {
      case 'start':
        return this._start(call.operationId, call.input);
      case 'status':
        return this._status(call.operationId);
      case 'list':
        return this._journal.page(this._scope, { offset: call.offset });
      case 'log':
        return this._logs.read(call.operationId, call.offset, this._scope);
      case 'cancel':
        return this._runner.requestCancel(call.operationId);
      case 'plan':
        return this._planned(call.input);
    }
  }

  private _status(operationId: string): OperationStatus {
    const status = this._journal.status(operationId, this._scope);
    if (status !== null) return status;
    throw new TenureError(
      'ERR_OPERATION_UNKNOWN',
      `Operation ${JSON.stringify(operationId)} is not in the history`,
      { operationId, scope: this._scope },
    );
  }

  private async _start(operationId: string, given: object): Promise<OperationStatus> {
    const journal = this._journal;
    const scope = this._scope;
    reference(journal);
    const input = this._input(given, operationId);
    const digest = accepted(binding.inputDigest(scope, input.text));
    const time = timeOf(journal._clock);
    const unlessHeld = this._verdict(input, time);
    const number = reference(journal);
    const reservation = await promised<Reservation>(
      journal,
      () => (ticket) =>
        binding.journalReserve(
          number,
          ticket,
          operationId,
          digest,
          input.text,
          scope,
          time,
          unlessHeld,
        ),
    );
    this._runner.enqueue();
    return reservation.status;
  }

  /** Why a start with this input is refused, unless the fence holds its id. */
  private _verdict(input: Input, time: number): string | undefined {
    if (input.planDigest === undefined) return undefined;
    const digest = accepted(binding.inputDigest(this._scope, input.restText));
    if (input.planDigest !== digest) return 'mismatch';
    return VERDICTS[accepted(binding.plansJudge(this._plans, digest, time))];
  }

  private _input(given: object, operationId?: string): Input {
    const key = operationId === undefined ? undefined : { operationId, scope: this._scope };
    const text = inputText(given, 'input', key);
    const { planDigest, ...rest } = JSON.parse(text) as JsonObject;
    const restText = planDigest === undefined ? text : JSON.stringify(rest);
    const violation = this._schema?.judge(restText);
    if (violation !== undefined)
      throw new TenureError('ERR_INPUT_REFUSED', `The input ${violation.message}`, {
        ...key,
        path: violation.path,
      });
    return { text, planDigest, rest, restText };
  }

  private async _planned(given: object): Promise<OperationPlan> {
    reference(this._journal);
    const { rest, restText } = this._input(given);
    let draft: unknown;
    try {
      draft = await this._plan(rest);
    } catch (error) {
      if (error instanceof TenureError) throw error;
      throw new TenureError('ERR_PLAN_FAILED', 'The plan could not be made', { cause: error });
    }
    let plan: OperationPlan;
    try {
      plan = planOf(draft, restText, (text) => accepted(binding.inputDigest(this._scope, text)));
    } catch (cause) {
      throw new TenureError('ERR_PLAN_FAILED', 'The answer of the plan function is no plan', {
        cause,
      });
    }
    accepted(binding.plansIssue(this._plans, plan.planDigest, plan.expiresAt));
    return plan;
  }
}
