//! A journal made of lines of JSON, whole or not at all.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::intake::Reader;
use super::tables::fill;
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::store::disk::FileDisk;
use crate::store::failure::{caught, fault, spoken};
use crate::store::file::create;
use crate::store::{Engine, Sizes};

/// Told how a piece was taken, or what became of the whole.
pub type Done = Box<dyn FnOnce(Answer<()>) + Send>;

enum Message {
    Text(String, Done),
    End(Done),
    Cancel(Done),
}

/// An import that is under way. Let go before its end, it leaves nothing.
#[derive(Debug)]
pub struct Import(Sender<Message>);

impl Import {
    /// Begins a journal at a path where nothing is.
    pub fn into(path: &Path) -> Answer<Self> {
        let (to, from) = channel();
        let path = path.to_owned();
        let name = "tenure import".to_owned();
        let worker = std::thread::Builder::new().name(name).spawn(move || import(&path, &from));
        worker.map_err(|error| {
            let refused = Refused::new(Reason::JournalIo, "There is no thread to import with");
            Box::new(refused.because(&error))
        })?;
        Ok(Self(to))
    }

    /// Takes the next piece of the text.
    pub fn add(&self, text: String, done: Done) {
        self.tell(Message::Text(text, done));
    }

    /// There is no more: the journal takes its name.
    pub fn end(self, done: Done) {
        self.tell(Message::End(done));
    }

    /// There is to be no journal. Told once nothing of it is left, with a refusal.
    pub fn cancel(self, done: Done) {
        self.tell(Message::Cancel(done));
    }

    fn tell(&self, message: Message) {
        // Its thread answers whatever it is told as long as there is somebody to tell it.
        drop(self.0.send(message));
    }
}

fn import(path: &Path, from: &Receiver<Message>) {
    let name = path.to_string_lossy().into_owned();
    let mut asked = None;
    let made = caught(|| create(path, |file| fill_from(FileDisk(file), from, &mut asked)));
    let answer = match made {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => {
            let what = "Something is where the journal was to be made";
            Err(Box::new(Refused::new(Reason::BackupExists, what).at(&name)))
        }
        Ok(Err(refused)) => Err(refused),
        Err(payload) => Err(fault(&spoken(payload)).into()),
    };
    let answer = answer.map_err(|mut refused| {
        refused.path.get_or_insert(name);
        refused
    });
    if let Some(done) = asked {
        done(answer.clone());
    }
    // Whoever had more to say is told the same.
    for message in from {
        match message {
            Message::Text(_, done) | Message::End(done) | Message::Cancel(done) => {
                done(answer.clone())
            }
        }
    }
}

/// `asked` is who waits for an answer when it fails, or when it ends.
fn fill_from(disk: FileDisk, from: &Receiver<Message>, asked: &mut Option<Done>) -> Answer<()> {
    let engine = Engine::create(Arc::new(disk), Sizes::default(), fill)?;
    let mut reader = Reader::default();
    loop {
        match from.recv() {
            Ok(Message::Text(text, done)) => {
                *asked = Some(done);
                reader.take(&engine, &text)?;
                if let Some(done) = asked.take() {
                    done(Ok(()));
                }
            }
            Ok(Message::End(done)) => {
                *asked = Some(done);
                reader.finish(&engine)?;
                return engine.close();
            }
            Ok(Message::Cancel(done)) => {
                *asked = Some(done);
                return Err(cancelled());
            }
            Err(_) => return Err(cancelled()),
        }
    }
}

fn cancelled() -> Box<Refused> {
    Box::new(Refused::new(Reason::Closed, "The import was given up"))
}
