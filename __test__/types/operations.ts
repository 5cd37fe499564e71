// A strict program that uses every export of durable operations: it is compiled, never run.
import {
  OperationJournal,
  OperationLogs,
  OperationRunner,
  OperationService,
  ResultRefused,
  SubmissionRefused,
  TenureError,
  inputDigest,
  journalKey,
  operationDescriptor,
} from 'tenure';
import type {
  Authority,
  CancelIntent,
  DescriptorOptions,
  ExportOptions,
  FollowOptions,
  ForgetOptions,
  InMemoryOptions,
  JobAdapter,
  JournalOptions,
  JournalProblem,
  JournalStats,
  JsonObject,
  JsonSchema,
  JsonValue,
  Observation,
  OperationAnswers,
  OperationBounds,
  OperationCall,
  OperationCalls,
  OperationDescriptor,
  OperationErrorCode,
  OperationLog,
  OperationPage,
  OperationPatch,
  OperationPlan,
  OperationState,
  OperationStatus,
  PageOptions,
  PlainInput,
  PlanDraft,
  Reservation,
  Resolution,
  RunnerOptions,
  ScopeCounts,
  ServiceOptions,
  Submission,
  Verb,
  WatchOptions,
} from 'tenure';

/** Compiles only for the answer that is right. */
declare function same<A, B>(
  answer: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false,
): void;

const bounds: OperationBounds = { retain: 10, maxRuntimeSeconds: null };
const memory: InMemoryOptions = { bounds, clock: () => 0 };
const options: JournalOptions = { ...memory, durability: 'eventual', readOnly: false };
// @ts-expect-error there is no third durability
const wrong: JournalOptions = { durability: 'sometimes' };

export async function journals(): Promise<void> {
  await using journal = await OperationJournal.open('file', options);
  same<typeof journal, OperationJournal>(true);
  same<typeof journal.bounds, Required<OperationBounds>>(true);
  // @ts-expect-error a journal is opened
  new OperationJournal();

  const input: PlainInput = { any: ['object', 1] };
  const reserved: Reservation = await journal.reserve('id', inputDigest('s', input), input, 's');
  same<typeof reserved.outcome, 'created' | 'existing'>(true);
  const state: OperationState = reserved.status.state;
  const submission: Submission = reserved.status.submission;
  same<typeof submission, 'pending' | 'uncertain' | 'accepted' | 'refused'>(true);
  const patch: OperationPatch = { state, submission, progress: 0.5, stage: null, result: { a: 1 } };
  const status: OperationStatus = journal.updateSync('id', patch, 's');
  // @ts-expect-error a status is read, not written
  status.state = 'running';
  const intent: CancelIntent = journal.requestCancelSync('id');
  same<typeof intent.outcome, 'recorded' | 'terminal'>(true);
  const resolution: Resolution = { state: 'failed', note: 'gone' };
  // @ts-expect-error a decision is terminal
  await journal.resolve('id', { state: 'running' });
  await journal.resolve('id', resolution);
  const forget: ForgetOptions = { finishedBefore: 5, scope: 's' };
  same<Awaited<ReturnType<typeof journal.forget>>, number>(true);
  await journal.forget(forget);
  const pairs: [scope: string, operationId: string][] = await journal.drainRetired();
  void pairs;

  same<ReturnType<typeof journal.status>, OperationStatus | null>(true);
  same<ReturnType<typeof journal.payload>, JsonObject | null>(true);
  same<ReturnType<typeof journal.startedAt>, number | null>(true);
  const listing: PageOptions = { offset: 0, state: 'failed' };
  const page: OperationPage = journal.page('s', listing);
  same<typeof page.nextOffset, number | null>(true);
  const stats: JournalStats = journal.stats();
  const counts: ScopeCounts | undefined = stats.scopes[0];
  void counts;
  const watching: WatchOptions = { id: 'id', signal: AbortSignal.timeout(1) };
  for await (const each of journal.watch(watching)) same<typeof each, OperationStatus>(true);
  const exporting: ExportOptions = { scope: 'scope' };
  for await (const lines of OperationJournal.export(journal, exporting))
    same<typeof lines, string>(true);
  same<Awaited<ReturnType<typeof OperationJournal.import>>, void>(true);
  await OperationJournal.import('file', OperationJournal.export(journal));
  const { problems } = await journal.verify();
  same<typeof problems, JournalProblem[]>(true);
  const { before, after } = await journal.compact();
  same<typeof before, typeof after>(true);
  await journal.backup('copy');
}

export async function logged(): Promise<void> {
  await using logs = await OperationLogs.open('folder', bounds);
  logs.appendSync('id', 'line');
  const slice: OperationLog = logs.read('id', 0);
  const following: FollowOptions = { offset: slice.nextOffset, scope: 's' };
  for await (const each of logs.follow('id', following)) same<typeof each, OperationLog>(true);
  // @ts-expect-error logs are opened
  new OperationLogs();
}

class Backend implements JobAdapter {
  async submit(operationId: string, payload: JsonObject, signal: AbortSignal): Promise<string> {
    const value: JsonValue | undefined = payload['n'];
    if (value === undefined || signal.aborted) throw new SubmissionRefused('no n');
    return operationId;
  }
  async observe(): Promise<Observation> {
    return { state: 'succeeded', result: {} };
  }
  async cancel(): Promise<void> {}
}

const schema: JsonSchema = { type: 'object' };

export async function run(journal: OperationJournal, logs: OperationLogs): Promise<void> {
  const settings: RunnerOptions = { resultSchema: schema, pollSeconds: 0.5, concurrency: 2 };
  // @ts-expect-error results are judged
  new OperationRunner(journal, logs, new Backend(), {});
  const runner = new OperationRunner(journal, logs, new Backend(), settings);
  runner.start();
  runner.enqueue();
  same<ReturnType<typeof runner.requestCancel>, Promise<OperationStatus>>(true);
  await runner.stop();

  const draft: PlanDraft = { summary: 'two hours', expiresAt: 5 };
  const service: ServiceOptions = { scope: '', journal, logs, runner, plan: async () => draft };
  const verbs = new OperationService(service);
  const authority: Authority = 'effect';
  const started = await verbs.dispatch({ op: 'start', operationId: 'a', input: {} }, authority);
  same<typeof started, OperationStatus>(true);
  const plan = await verbs.dispatch({ op: 'plan', input: {} }, authority);
  same<typeof plan, OperationPlan>(true);
  same<OperationAnswers['list'], OperationPage>(true);
  same<OperationCall, OperationCalls[Verb]>(true);
  // @ts-expect-error a status call takes no input
  await verbs.dispatch({ op: 'status', operationId: 'a', input: {} }, 'read');
}

export function described(of: DescriptorOptions): OperationDescriptor {
  const key: string = journalKey('s', 'id');
  void key;
  return operationDescriptor(of);
}

export function told(error: unknown): OperationErrorCode | undefined {
  if (error instanceof ResultRefused) return error.code;
  if (error instanceof TenureError) {
    const fields: [number?, number?, string?, number?] = [];
    fields.push(error.limit, error.actual);
    void fields;
  }
  return undefined;
}
void wrong;
