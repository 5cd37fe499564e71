//! The calls of Node-API itself: the only unsafe code of the crate.
//!
//! A function of the table takes numbers and strings and gives a number, a string or a list: no
//! object is built here, and no JavaScript runs between reading the first argument and returning.
//!
//! Every safety comment below leans on these facts. `env`, `info` and values are those that Node gave
//! to the callback that is running, on its own thread. The data pointer of a function is a `Bound` in
//! the arena of its environment, which outlives every call: environments stop running JavaScript
//! before their clean-up hooks. Out-parameters point to locals.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use napi::sys;
use smallvec::SmallVec;

use super::thread::Thread;
use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::Wake;
use crate::refused::{self, Refused};
use crate::text::Text;

/// Reads one argument. A value of another type reads as one that names nothing.
pub(super) trait Argument: Sized {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self;
}

impl Argument for u32 {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut number = u32::MAX;
        // SAFETY: see the module. On failure the number stays as it was.
        unsafe { sys::napi_get_value_uint32(env, value, &raw mut number) };
        number
    }
}

impl Argument for i32 {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut number = i32::MAX;
        // SAFETY: see the module. On failure the number stays as it was.
        unsafe { sys::napi_get_value_int32(env, value, &raw mut number) };
        number
    }
}

impl Argument for f64 {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut number = f64::NAN;
        // SAFETY: see the module. On failure the number stays as it was.
        unsafe { sys::napi_get_value_double(env, value, &raw mut number) };
        number
    }
}

impl Argument for bool {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut flag = false;
        // SAFETY: see the module. On failure the flag stays as it was.
        unsafe { sys::napi_get_value_bool(env, value, &raw mut flag) };
        flag
    }
}

/// UTF-16 code units, on the stack when they are few: an id to look up needs no allocation.
pub(super) type Units = SmallVec<[u16; 64]>;

impl Argument for Option<Units> {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut units = Units::from_elem(0, 64);
        let mut length = 0;
        // SAFETY: see the module. At most 64 units are written, the last of them a terminating NUL.
        let status = unsafe {
            sys::napi_get_value_string_utf16(env, value, units.as_mut_ptr(), 64, &raw mut length)
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        if length < 63 {
            units.truncate(length);
            return Some(units);
        }
        // SAFETY: see the module. A null buffer asks for the length alone.
        unsafe {
            sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut length);
        }
        let room = length + 1;
        units.resize(room, 0);
        // SAFETY: see the module. The buffer has room for the units and the terminating NUL.
        unsafe {
            sys::napi_get_value_string_utf16(env, value, units.as_mut_ptr(), room, &raw mut length);
        }
        units.truncate(length);
        Some(units)
    }
}

impl Argument for Units {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        Option::read(env, value).unwrap_or_default()
    }
}

impl Argument for Option<String> {
    /// The face hands over well-formed strings alone: UTF-8 has no room for a lone surrogate.
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut length = 0;
        // SAFETY: see the module. A null buffer asks for the length alone.
        let status = unsafe {
            sys::napi_get_value_string_utf8(env, value, ptr::null_mut(), 0, &raw mut length)
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        let room = length + 1;
        let mut bytes = vec![0_u8; room];
        // SAFETY: see the module. The buffer has room for the bytes and the terminating NUL.
        unsafe {
            sys::napi_get_value_string_utf8(
                env,
                value,
                bytes.as_mut_ptr().cast(),
                room,
                &raw mut length,
            );
        }
        bytes.truncate(length);
        Some(String::from_utf8(bytes).unwrap_or_default())
    }
}

impl Argument for String {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        Option::read(env, value).unwrap_or_default()
    }
}

impl Argument for Option<Text> {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        Option::<Units>::read(env, value).map(|units| Text::from_units(&units))
    }
}

impl Argument for Text {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        Text::from_units(&Units::read(env, value))
    }
}

impl Argument for Vec<Text> {
    /// The face hands over an array of its own making, so that no getter runs here.
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let mut length = 0;
        // SAFETY: see the module. On failure the length stays 0.
        unsafe { sys::napi_get_array_length(env, value, &raw mut length) };
        (0..length)
            .map(|index| {
                let mut element = ptr::null_mut();
                // SAFETY: see the module.
                unsafe { sys::napi_get_element(env, value, index, &raw mut element) };
                Text::read(env, element)
            })
            .collect()
    }
}

/// A `Uint32Array` that the face hands over for the length of one call.
pub(super) struct Numbers {
    start: *mut u32,
    length: usize,
}

impl Argument for Numbers {
    fn read(env: sys::napi_env, value: sys::napi_value) -> Self {
        let (mut kind, mut length, mut start) = (0, 0, ptr::null_mut());
        let (mut buffer, mut offset) = (ptr::null_mut(), 0);
        // SAFETY: see the module.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                env,
                value,
                &raw mut kind,
                &raw mut length,
                &raw mut start,
                &raw mut buffer,
                &raw mut offset,
            )
        };
        if status != sys::Status::napi_ok || kind != sys::TypedarrayType::uint32_array {
            length = 0;
        }
        Self { start: start.cast(), length }
    }
}

impl Numbers {
    /// Copies as many as fit.
    pub(super) fn fill(&mut self, numbers: &[u32]) {
        let count = numbers.len().min(self.length);
        if count > 0 {
            // SAFETY: the array is alive for the length of the call, holds `length` numbers, and
            // nothing else touches it, since no JavaScript runs meanwhile.
            unsafe { ptr::copy_nonoverlapping(numbers.as_ptr(), self.start, count) };
        }
    }

    /// The numbers in it.
    pub(super) fn to_vec(&self) -> Vec<u32> {
        if self.length == 0 {
            return Vec::new();
        }
        // SAFETY: as in `fill`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }.to_vec()
    }
}

/// The arguments of a call, as many as the tuple has.
pub(super) trait Arguments: Sized {
    const COUNT: usize;
    fn read(env: sys::napi_env, values: &[sys::napi_value]) -> Self;
}

macro_rules! arguments {
    ($count:literal $($name:ident $place:literal)*) => {
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            const COUNT: usize = $count;
            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple reads none")]
            fn read(env: sys::napi_env, values: &[sys::napi_value]) -> Self {
                ($($name::read(env, values[$place]),)*)
            }
        }
    };
}

arguments!(0);
arguments!(1 A 0);
arguments!(2 A 0 B 1);
arguments!(3 A 0 B 1 C 2);
arguments!(4 A 0 B 1 C 2 D 3);
arguments!(5 A 0 B 1 C 2 D 3 E 4);
arguments!(6 A 0 B 1 C 2 D 3 E 4 F 5);
arguments!(7 A 0 B 1 C 2 D 3 E 4 F 5 G 6);
arguments!(8 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);

/// The most arguments that a function of the table takes.
const MOST_ARGUMENTS: usize = 8;

/// What a call gives back.
pub(super) enum Value {
    /// A number as it is.
    Plain(f64),
    /// A value of a call that may have caused effects: doubled, its lowest bit says so.
    Coded(i32),
    /// A string.
    Text(Text),
    /// Strings.
    Texts(Vec<Text>),
    /// A string, or JSON text, that is well-formed.
    Utf8(String),
    /// Numbers and well-formed strings.
    Mixed(Vec<Item>),
    /// Nothing.
    Undefined,
}

/// One of a mixed list.
pub(super) enum Item {
    /// A number as it is.
    Number(f64),
    /// A string.
    Text(String),
}

/// What begins a refusal that is told as text: no JSON text does.
const REFUSED: char = '!';

/// A refusal as text: the mark, then JSON.
pub(super) fn refusal_text(refused: &Refused) -> String {
    let mut text = String::from(REFUSED);
    text.push_str(&serde_json::to_string(refused).unwrap_or_default());
    text
}

/// Something that a function of the table may return.
pub(super) trait Answer {
    fn value(self, thread: &mut Thread) -> Value;
}

impl Answer for Outcome<u32> {
    fn value(self, _: &mut Thread) -> Value {
        match self {
            Ok(number) => Value::Coded(number as i32),
            Err(refusal) => refuse(refusal),
        }
    }
}

impl Answer for Outcome<bool> {
    fn value(self, thread: &mut Thread) -> Value {
        self.map(u32::from).value(thread)
    }
}

impl Answer for Outcome<()> {
    fn value(self, thread: &mut Thread) -> Value {
        self.map(|()| 0).value(thread)
    }
}

impl Answer for Outcome<Option<Text>> {
    fn value(self, _: &mut Thread) -> Value {
        match self {
            Ok(Some(text)) => Value::Text(text),
            Ok(None) => Value::Undefined,
            Err(refusal) => refuse(refusal),
        }
    }
}

impl Answer for Outcome<Vec<Text>> {
    fn value(self, _: &mut Thread) -> Value {
        match self {
            Ok(texts) => Value::Texts(texts),
            Err(refusal) => refuse(refusal),
        }
    }
}

impl Answer for refused::Answer<String> {
    fn value(self, _: &mut Thread) -> Value {
        Value::Utf8(self.unwrap_or_else(|refused| refusal_text(&refused)))
    }
}

impl Answer for refused::Answer<Option<String>> {
    fn value(self, _: &mut Thread) -> Value {
        match self {
            Ok(None) => Value::Undefined,
            Ok(Some(text)) => Value::Utf8(text),
            Err(refused) => Value::Utf8(refusal_text(&refused)),
        }
    }
}

impl Answer for refused::Answer<f64> {
    fn value(self, _: &mut Thread) -> Value {
        match self {
            Ok(number) => Value::Plain(number),
            Err(refused) => Value::Utf8(refusal_text(&refused)),
        }
    }
}

impl Answer for Vec<Item> {
    fn value(self, _: &mut Thread) -> Value {
        Value::Mixed(self)
    }
}

impl Answer for f64 {
    fn value(self, _: &mut Thread) -> Value {
        Value::Plain(self)
    }
}

thread_local! {
    static DETAIL: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// The number that the last refusal on this thread speaks of.
pub(super) fn last_detail() -> u32 {
    DETAIL.get()
}

fn refuse(refusal: Refusal) -> Value {
    DETAIL.set(refusal.detail);
    Value::Coded(-(refusal.reason as i32) - 1)
}

struct Bound<A, R> {
    thread: Rc<RefCell<Thread>>,
    call: fn(&mut Thread, A) -> R,
}

unsafe extern "C" fn trampoline<A: Arguments, R: Answer>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let mut count = A::COUNT;
    let mut values = [ptr::null_mut(); MOST_ARGUMENTS];
    let mut data: *mut c_void = ptr::null_mut();
    // SAFETY: see the module. At most `count` values are written; the rest is undefined.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        );
    }
    // SAFETY: the pointer was made by `define` of these very types.
    let bound = unsafe { &*data.cast::<Bound<A, R>>() };
    let arguments = A::read(env, &values);
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let mut thread = bound.thread.try_borrow_mut().map_err(|_| Reason::Internal)?;
        let value = (bound.call)(&mut thread, arguments).value(&mut thread);
        let pending = thread.is_pending();
        Ok::<_, Reason>((value, pending))
    }));
    let (value, pending) = match answer {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => (refuse(reason.into()), false),
        // The payload may be anything, and dropping it may panic again.
        Err(payload) => {
            std::mem::drop(catch_unwind(AssertUnwindSafe(|| drop(payload))));
            (refuse(Reason::Internal.into()), true)
        }
    };
    write(env, value, pending)
}

fn write(env: sys::napi_env, value: Value, pending: bool) -> sys::napi_value {
    let mut result = ptr::null_mut();
    match value {
        Value::Coded(number) => {
            let coded = (number << 1) | i32::from(pending);
            // SAFETY: see the module.
            unsafe { sys::napi_create_int32(env, coded, &raw mut result) };
        }
        Value::Plain(number) => {
            // SAFETY: see the module.
            unsafe { sys::napi_create_double(env, number, &raw mut result) };
        }
        Value::Text(text) => result = string(env, &text),
        Value::Utf8(text) => result = utf8(env, &text),
        Value::Mixed(items) => {
            // SAFETY: see the module.
            unsafe { sys::napi_create_array_with_length(env, items.len(), &raw mut result) };
            for (index, item) in (0..).zip(&items) {
                let element = match item {
                    Item::Number(number) => {
                        let mut element = ptr::null_mut();
                        // SAFETY: see the module.
                        unsafe { sys::napi_create_double(env, *number, &raw mut element) };
                        element
                    }
                    Item::Text(text) => utf8(env, text),
                };
                // SAFETY: see the module.
                unsafe { sys::napi_set_element(env, result, index, element) };
            }
        }
        Value::Texts(texts) => {
            // SAFETY: see the module.
            unsafe { sys::napi_create_array_with_length(env, texts.len(), &raw mut result) };
            for (index, text) in (0..).zip(&texts) {
                // SAFETY: see the module.
                unsafe { sys::napi_set_element(env, result, index, string(env, text)) };
            }
        }
        Value::Undefined => {}
    }
    result
}

fn string(env: sys::napi_env, text: &Text) -> sys::napi_value {
    let mut result = ptr::null_mut();
    // SAFETY: see the module. The units are copied.
    unsafe {
        sys::napi_create_string_utf16(env, text.as_ptr(), text.len() as isize, &raw mut result);
    }
    result
}

fn utf8(env: sys::napi_env, text: &str) -> sys::napi_value {
    let mut result = ptr::null_mut();
    // SAFETY: see the module. The bytes are copied.
    unsafe {
        sys::napi_create_string_utf8(
            env,
            text.as_ptr().cast(),
            text.len() as isize,
            &raw mut result,
        );
    }
    result
}

/// One environment's functions, and what they hold.
pub(super) struct Table {
    env: sys::napi_env,
    exports: sys::napi_value,
    thread: Rc<RefCell<Thread>>,
    arena: Vec<Box<dyn Any>>,
}

impl Table {
    pub(super) fn new(
        env: sys::napi_env,
        exports: sys::napi_value,
        thread: Rc<RefCell<Thread>>,
    ) -> Self {
        Self { env, exports, thread, arena: Vec::new() }
    }

    /// Exports a function under a name.
    pub(super) fn define<A: Arguments + 'static, R: Answer + 'static>(
        &mut self,
        name: &'static str,
        call: fn(&mut Thread, A) -> R,
    ) {
        let bound = Box::new(Bound { thread: Rc::clone(&self.thread), call });
        let data: *const Bound<A, R> = &raw const *bound;
        self.arena.push(bound);
        let Ok(property) = CString::new(name) else {
            return;
        };
        let mut function = ptr::null_mut();
        // SAFETY: see the module. The name is valid UTF-8 of the length given; the data stays where
        // it is until the environment has ended.
        unsafe {
            sys::napi_create_function(
                self.env,
                property.as_ptr(),
                name.len() as isize,
                Some(trampoline::<A, R>),
                data.cast_mut().cast(),
                &raw mut function,
            );
            sys::napi_set_named_property(self.env, self.exports, property.as_ptr(), function);
        }
    }

    /// Exports `openCore` and `openMail`, the functions that are given a callback.
    pub(super) fn define_openings(&mut self) {
        self.define_opening(c"openCore", open_core);
        self.define_opening(c"openMail", open_mail);
    }

    fn define_opening(
        &mut self,
        name: &'static CStr,
        call: unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value,
    ) {
        let data: *const RefCell<Thread> = Rc::as_ptr(&self.thread);
        let mut function = ptr::null_mut();
        // SAFETY: see the module. The thread is kept by the arena.
        unsafe {
            sys::napi_create_function(
                self.env,
                name.as_ptr(),
                name.count_bytes() as isize,
                Some(call),
                data.cast_mut().cast(),
                &raw mut function,
            );
            sys::napi_set_named_property(self.env, self.exports, name.as_ptr(), function);
        }
    }

    /// Keeps all of it until the environment ends; then ends the cores of this environment first.
    pub(super) fn keep(self) {
        let env = self.env;
        let kept = Box::into_raw(Box::new((self.thread, self.arena)));
        // SAFETY: see the module. The hook runs once, at the end of the environment.
        unsafe { sys::napi_add_env_cleanup_hook(env, Some(end_environment), kept.cast()) };
    }
}

unsafe extern "C" fn end_environment(kept: *mut c_void) {
    // SAFETY: made by `Table::keep`, and given back once.
    let kept = unsafe { Box::from_raw(kept.cast::<(Rc<RefCell<Thread>>, Vec<Box<dyn Any>>)>()) };
    // A panic must not cross into Node; what it leaves ends with the environment anyway.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let Ok(mut thread) = kept.0.try_borrow_mut() {
            thread.end();
        }
        drop(kept);
    }));
}

/// `openCore(scope: string | undefined, deliver: () => void)`: the core's number.
unsafe extern "C" fn open_core(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let mut count = 2;
    let mut values = [ptr::null_mut(); 2];
    let mut data: *mut c_void = ptr::null_mut();
    // SAFETY: see the module.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        );
    }
    // SAFETY: made by `define_openings`.
    let thread = unsafe { &*data.cast::<RefCell<Thread>>() };
    let scope = Option::<Text>::read(env, values[0]);
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let waker = scope.is_some().then(|| Waker::new(env, values[1])).flatten();
        let mut thread = thread.try_borrow_mut().map_err(|_| Reason::Internal)?;
        Ok::<_, Reason>(thread.open_core(scope, waker))
    }));
    let value = match opened {
        Ok(Ok(core)) => Value::Coded(core as i32),
        Ok(Err(reason)) => refuse(reason.into()),
        Err(_) => refuse(Reason::Internal.into()),
    };
    write(env, value, false)
}

/// `openMail(deliver: () => void)`: the number of a letter box. What other threads put into it is
/// announced by `deliver`.
unsafe extern "C" fn open_mail(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let mut count = 1;
    let mut values = [ptr::null_mut(); 1];
    let mut data: *mut c_void = ptr::null_mut();
    // SAFETY: see the module.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        );
    }
    // SAFETY: made by `define_openings`.
    let thread = unsafe { &*data.cast::<RefCell<Thread>>() };
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let waker = Waker::new(env, values[0]);
        let mut thread = thread.try_borrow_mut().map_err(|_| Reason::Internal)?;
        thread.durable.open_mail(waker).ok_or(Reason::Internal)
    }));
    let value = match opened {
        Ok(Ok(number)) => Value::Coded(number as i32),
        Ok(Err(reason)) => refuse(reason.into()),
        Err(_) => refuse(Reason::Internal.into()),
    };
    write(env, value, false)
}

struct Queue {
    function: Option<sys::napi_threadsafe_function>,
    env: sys::napi_env,
    home: ThreadId,
}

// SAFETY: the pointers are used under the mutex around it, `env` on its home thread alone, and the
// function until its finalizer has taken it out.
unsafe impl Send for Queue {}

/// Wakes the thread of one core by a thread-safe function: each call is one macrotask there.
#[derive(Clone)]
pub(super) struct Waker(Arc<Mutex<Queue>>);

impl Waker {
    fn new(env: sys::napi_env, deliver: sys::napi_value) -> Option<Self> {
        let home = thread::current().id();
        let queue = Arc::new(Mutex::new(Queue { function: None, env, home }));
        let (mut name, mut function) = (ptr::null_mut(), ptr::null_mut());
        let kept = Arc::into_raw(Arc::clone(&queue));
        // SAFETY: see the module. The finalizer gives the reference in `kept` back.
        let status = unsafe {
            sys::napi_create_string_utf8(env, c"tenure.deliver".as_ptr(), 14, &raw mut name);
            sys::napi_create_threadsafe_function(
                env,
                deliver,
                ptr::null_mut(),
                name,
                0,
                1,
                kept.cast_mut().cast(),
                Some(forget_function),
                ptr::null_mut(),
                None,
                &raw mut function,
            )
        };
        if status != sys::Status::napi_ok {
            // SAFETY: Node did not take the reference.
            drop(unsafe { Arc::from_raw(kept) });
            return None;
        }
        // SAFETY: see the module. An idle core keeps no process alive.
        unsafe { sys::napi_unref_threadsafe_function(env, function) };
        queue.lock().unwrap_or_else(PoisonError::into_inner).function = Some(function);
        Some(Self(queue))
    }

    /// Something waits: the process may not end before it is taken.
    pub(super) fn keep(&self) {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = queue.function {
            // SAFETY: called on the home thread, while the function lives.
            unsafe { sys::napi_ref_threadsafe_function(queue.env, function) };
        }
    }

    /// Nothing waits any more: the process may end.
    pub(super) fn rest(&self) {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = queue.function {
            // SAFETY: called on the home thread, while the function lives.
            unsafe { sys::napi_unref_threadsafe_function(queue.env, function) };
        }
    }

    /// The core has ended: the function goes once it has run dry.
    pub(super) fn release(&self) {
        let function = self.0.lock().unwrap_or_else(PoisonError::into_inner).function.take();
        if let Some(function) = function {
            // SAFETY: taken out, so that it is released once.
            unsafe {
                sys::napi_release_threadsafe_function(
                    function,
                    sys::ThreadsafeFunctionReleaseMode::release,
                )
            };
        }
    }
}

impl Wake for Waker {
    fn wake(&self) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(function) = queue.function else {
            return;
        };
        if queue.home == thread::current().id() {
            // SAFETY: on the home thread, while the function lives. What waits keeps it alive.
            unsafe { sys::napi_ref_threadsafe_function(queue.env, function) };
        }
        // SAFETY: the function lives, since its finalizer takes it out under this lock.
        let status = unsafe {
            sys::napi_call_threadsafe_function(
                function,
                ptr::null_mut(),
                sys::ThreadsafeFunctionCallMode::nonblocking,
            )
        };
        // Its environment ends: having said so, Node may free the function at any moment.
        if status == sys::Status::napi_closing {
            queue.function = None;
        }
    }
}

unsafe extern "C" fn forget_function(_: sys::napi_env, kept: *mut c_void, _: *mut c_void) {
    // SAFETY: the reference that `Waker::new` handed over, given back once.
    let queue = unsafe { Arc::from_raw(kept.cast_const().cast::<Mutex<Queue>>()) };
    queue.lock().unwrap_or_else(PoisonError::into_inner).function = None;
}
