import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inBrowser, painted, pixels, pointOnBar } from './fixtures/timeline/browser.js';
import { everyday } from './fixtures/timeline/samples.js';

const opened = inBrowser();

const count = (page: Page): Promise<string | null> => page.locator('#count').textContent();
const ids = (page: Page): Promise<string[]> => page.locator('#rows-body .id').allTextContents();
const focusedId = (page: Page): Promise<string | null> =>
  page.locator('#rows-body tr:focus .id').textContent();
const chip = (page: Page, state: string) => page.locator(`[data-state="${state}"]`);

describe('filters', () => {
  it('a search leaves the rows and bars that have all its words', async () => {
    const page = await opened(everyday);
    expect(await count(page)).toBe('86 rows');
    const before = await pixels(page);
    await page.keyboard.press('/');
    await page.keyboard.type('FARM refused');
    await painted(page);
    const failed = everyday.items.filter(({ state }) => state === 'failed');
    expect(await count(page)).toBe(`${failed.length} of 86 rows`);
    expect((await ids(page)).sort()).toEqual(failed.map(({ id }) => id).sort());
    expect(await pixels(page)).not.toBe(before);
    await page.keyboard.press('Escape');
    await painted(page);
    expect(await count(page)).toBe('86 rows');
    expect(await pixels(page)).toBe(before);
  });

  it('a scope, all turns, all operations can be asked for', async () => {
    const page = await opened(everyday);
    const number = (wanted: (typeof everyday.items)[number]['kind'], scope?: string): number =>
      everyday.items.filter((item) => item.kind === wanted && (scope ?? item.scope) === item.scope)
        .length;
    for (const [label, shown] of [
      ['All turns', number('turn')],
      ['All operations', number('operation')],
      [/^scope render/, number('operation', 'render')],
      [/^session main/, number('turn', 'main')],
    ] as const) {
      const option = page.locator('#scope option', { hasText: label });
      await page.locator('#scope').selectOption(String(await option.getAttribute('value')));
      expect(await count(page)).toBe(`${shown} of 86 rows`);
    }
    await page.locator('#scope').selectOption('');
    expect(await count(page)).toBe('86 rows');
  });

  it('the buttons of the states hide and show, and count what the other filters leave', async () => {
    const page = await opened(everyday);
    const succeeded = everyday.items.filter(({ state }) => state === 'succeeded').length;
    await chip(page, 'succeeded').focus();
    await page.keyboard.press('Space');
    expect(await chip(page, 'succeeded').getAttribute('aria-pressed')).toBe('false');
    expect(await count(page)).toBe(`${86 - succeeded} of 86 rows`);
    expect(await chip(page, 'succeeded').locator('.count').textContent()).toBe(String(succeeded));
    await page.fill('#search', 'turn-');
    expect(await chip(page, 'queued').locator('.count').textContent()).toBe('0');
    await page.locator('#clear').click();
    expect(await count(page)).toBe('86 rows');
    expect(await page.locator('#clear').isVisible()).toBe(false);
  });

  it('the address keeps them', async () => {
    const first = await opened(everyday);
    await first.fill('#search', 'render');
    await chip(first, 'failed').click();
    const { hash } = new URL(first.url());
    const again = await opened(everyday, { hash });
    expect(await count(again)).toBe(await count(first));
    expect(await again.inputValue('#search')).toBe('render');
    expect(await chip(again, 'failed').getAttribute('aria-pressed')).toBe('false');
  });

  it('what matches nothing says so, and can be taken back there', async () => {
    const page = await opened(everyday);
    await page.fill('#search', 'no such thing');
    expect(await page.locator('#nothing').isVisible()).toBe(true);
    await page.locator('#nothing button').click();
    expect(await page.locator('#nothing').isVisible()).toBe(false);
    expect(await count(page)).toBe('86 rows');
  });
});

describe('pointer', () => {
  it('a bar under the pointer tells what it is, until the pointer leaves', async () => {
    const page = await opened(everyday);
    await pointOnBar(page);
    const tip = page.locator('#tip');
    const id = (await tip.locator('.id').textContent()) ?? '';
    const item = everyday.items.find((each) => each.id === id);
    expect(item).toBeDefined();
    expect(await tip.locator('.pill').textContent()).toBe(
      `${item?.state.charAt(0).toUpperCase()}${item?.state.slice(1)}`,
    );
    await page.mouse.move(5, 5);
    expect(await tip.isVisible()).toBe(false);
  });

  it('a bar and its row are marked together, whichever the pointer is on', async () => {
    const page = await opened(everyday);
    const id = everyday.items.find(({ state }) => state === 'interrupted')?.id ?? '';
    await page.fill('#search', id);
    await painted(page);
    const row = page.locator('#rows-body tr[data-at]');
    const unmarked = await pixels(page, 'marks');
    await row.hover();
    await painted(page);
    expect(await pixels(page, 'marks')).not.toBe(unmarked);
    await page.mouse.move(5, 5);
    expect(await row.getAttribute('class')).toBe('');
    await pointOnBar(page);
    expect(await row.getAttribute('class')).toBe('hovered');
  });

  it('a press selects a bar and shows all of it, in the zone of the reader and in UTC', async () => {
    const page = await opened(everyday);
    const { x, y } = await pointOnBar(page);
    const id = await page.locator('#tip .id').textContent();
    await page.mouse.click(x, y);
    expect(await page.locator('#details h2').textContent()).toBe(id);
    expect(await page.locator('tr[aria-selected="true"] .id').textContent()).toBe(id);
    const item = everyday.items.find((each) => each.id === id);
    const utc = new Date(item?.queuedAt ?? 0).toISOString();
    const queued = page.locator('#details dt', { hasText: 'Queued' }).locator('+ dd');
    expect(await queued.locator('.utc').textContent()).toBe(utc);
    // November in Berlin is an hour ahead.
    const hour = String((Number(utc.slice(11, 13)) + 1) % 24).padStart(2, '0');
    expect(await queued.textContent()).toContain(`, ${hour}${utc.slice(13, 23)}`);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('#details').isVisible()).toBe(false);
  });

  it('the wheel zooms with Ctrl and moves with Shift, a drag moves, Fit shows all', async () => {
    const page = await opened(everyday);
    const whole = await pixels(page);
    const box = await page.locator('#chart').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 400, (box?.y ?? 0) + 300);
    const seen = [whole];
    const changes = async (act: () => Promise<void>): Promise<void> => {
      await act();
      await painted(page);
      const shown = await pixels(page);
      expect(seen).not.toContain(shown);
      seen.push(shown);
    };
    await page.keyboard.down('Control');
    await changes(() => page.mouse.wheel(0, -240));
    await page.keyboard.up('Control');
    await page.keyboard.down('Shift');
    await changes(() => page.mouse.wheel(0, 90));
    await page.keyboard.up('Shift');
    await changes(async () => {
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 520, (box?.y ?? 0) + 300, { steps: 4 });
      await page.mouse.up();
    });
    await page.locator('#fit').click();
    await painted(page);
    expect(await pixels(page)).toBe(whole);
  });
});

describe('keyboard', () => {
  it('the timeline is moved, zoomed and walked through, and leads to the table', async () => {
    const page = await opened(everyday);
    const whole = await pixels(page);
    await page.locator('#chart').focus();
    for (const key of ['+', 'ArrowRight', '+', 'ArrowLeft', '-', 'End', 'Home']) {
      const before = await pixels(page);
      await page.keyboard.press(key);
      await painted(page);
      expect(await pixels(page), key).not.toBe(before);
    }
    await page.keyboard.press('0');
    await painted(page);
    expect(await pixels(page)).toBe(whole);
    const inTime = [...everyday.items].sort((a, b) => (a.queuedAt ?? 0) - (b.queuedAt ?? 0));
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    expect(await page.locator('#details h2').textContent()).toBe(inTime[1]?.id);
    expect(await page.locator('#spoken').textContent()).toContain(`${inTime[1]?.id}, `);
    await page.keyboard.press('p');
    await page.keyboard.press('Enter');
    expect(await focusedId(page)).toBe(inTime[0]?.id);
  });

  it('the table is one stop of Tab, in which arrows move, Enter selects and Escape does not', async () => {
    const page = await opened(everyday);
    expect(await page.locator('#rows-body tr[tabindex="0"]').count()).toBe(1);
    const newest = [...everyday.items].sort((a, b) => (b.queuedAt ?? 0) - (a.queuedAt ?? 0));
    await page.locator('th button').last().focus();
    await page.keyboard.press('Tab');
    expect(await focusedId(page)).toBe(newest[0]?.id);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focusedId(page)).toBe(newest[2]?.id);
    await page.keyboard.press('Enter');
    expect(await page.locator('#details h2').textContent()).toBe(newest[2]?.id);
    await page.keyboard.press('End');
    expect(await focusedId(page)).toBe(newest.at(-1)?.id);
    await page.keyboard.press('Home');
    expect(await focusedId(page)).toBe(newest[0]?.id);
    await page.keyboard.press('Escape');
    expect(await page.locator('#details').isVisible()).toBe(false);
  });

  it('a head of the table sorts by it, and says so', async () => {
    const page = await opened(everyday);
    const head = page.locator('th', { hasText: 'Id' });
    await head.locator('button').press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    const up = await ids(page);
    expect(up).toEqual([...up].sort((a, b) => a.localeCompare(b)));
    await head.locator('button').press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await page.locator('th[aria-sort]').count()).toBe(1);
    const down = await ids(page);
    expect(down).toEqual([...down].sort((a, b) => b.localeCompare(a)));
  });
});
