//! Which board asks which word. No threads and no clock.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use mealybug_core::Input;

use super::rules::{BoardCounts, Disagreement};
use crate::store::{AnswerTree, DeviceAnswer, NodeId};

/// A word that was announced or is wanted, and what is known about it.
#[derive(Debug)]
struct ScheduledWord {
    id: u64,
    inputs: Vec<Input>,
    /// Whether more inputs may follow: its board then waits for them.
    is_open: bool,
    /// How long the reset took, once the board is reset.
    reset: Option<Duration>,
    answers: Vec<DeviceAnswer>,
    /// The board that asks it or has asked it.
    board: Option<usize>,
    /// Whether its answers are among those that its board has heard.
    is_heard: bool,
}

/// What a board does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoardTask {
    /// It waits for a word.
    Free,
    /// It asks this word, or waits for its next input.
    Asking(u64),
    /// It failed, and nobody has decided yet what to do.
    Failed(u64),
    /// It asks the word again.
    Again(u64),
    /// It gets no word before this time.
    Away(Instant),
    /// It gets no more words.
    LeftOut,
}

#[derive(Debug)]
struct BoardState {
    task: BoardTask,
    /// All complete words that it has answered.
    heard: AnswerTree,
    counts: BoardCounts,
    /// Whether it has answered a whole word since it failed.
    has_answered: bool,
    /// Whether no reset has worked since it went away: to look for it again and again is one failure.
    is_away: bool,
}

/// What a board does after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterAnswer {
    /// It asks this input.
    Ask(Input),
    /// The word may go on.
    Wait,
    /// It is done with the word.
    Over,
}

/// The words that are on their way, in the order in which they are asked, and the boards.
#[derive(Debug)]
pub(super) struct Schedule {
    words: VecDeque<ScheduledWord>,
    next_id: u64,
    /// Whether words are asked. A run that is resumed takes known answers first, and drops words that it announces
    /// meanwhile.
    is_begun: bool,
    /// The word whose answers the caller takes now.
    wanted: Option<u64>,
    /// Words that were answered to their end, and dropped.
    dropped: Vec<(Vec<Input>, Vec<DeviceAnswer>)>,
    boards: Vec<BoardState>,
    /// The words about which boards disagree, and those that nobody was told of.
    disputed: HashSet<Vec<Input>>,
    disagreements: Vec<Disagreement>,
}

impl Schedule {
    pub(super) fn new(boards: usize) -> Self {
        let board = || BoardState {
            task: BoardTask::Free,
            heard: AnswerTree::default(),
            counts: BoardCounts::default(),
            has_answered: false,
            is_away: false,
        };
        Self {
            words: VecDeque::new(),
            next_id: 0,
            is_begun: false,
            wanted: None,
            dropped: Vec::new(),
            boards: std::iter::repeat_with(board).take(boards).collect(),
            disputed: HashSet::new(),
            disagreements: Vec::new(),
        }
    }

    /// From now on words are asked.
    pub(super) fn begin(&mut self) {
        self.is_begun = true;
    }

    /// Announces a word that will be wanted after those announced before. Does nothing if an announced word begins
    /// with this one: the caller will know its answer by then.
    pub(super) fn announce(&mut self, inputs: &[Input], is_open: bool) {
        if !self.words.iter().any(|word| word.inputs.starts_with(inputs)) {
            let word = self.new_word(inputs, is_open);
            self.words.push_back(word);
        }
    }

    /// Asks for a word now, and drops the one that was wanted before and those announced before this one. A word that
    /// was not announced is asked before all others. Returns its number.
    pub(super) fn want(&mut self, inputs: &[Input]) -> u64 {
        let before = self.wanted.take();
        if let Some(at) = self.words.iter().position(|word| Some(word.id) == before) {
            self.hear(at);
            self.words.remove(at);
        }
        match self.words.iter().position(|word| word.inputs == inputs) {
            Some(at) => {
                (0..at).for_each(|at| self.hear(at));
                let is_answered = |word: &ScheduledWord| word.answers.len() == word.inputs.len();
                let dropped = self.words.drain(..at).filter(is_answered);
                self.dropped.extend(dropped.map(|word| (word.inputs, word.answers)));
            }
            None => {
                let word = self.new_word(inputs, true);
                self.words.push_front(word);
            }
        }
        let id = self.words[0].id;
        self.wanted = Some(id);
        id
    }

    /// The words that were answered and dropped since the last call, and their answers.
    pub(super) fn take_dropped(&mut self) -> Vec<(Vec<Input>, Vec<DeviceAnswer>)> {
        std::mem::take(&mut self.dropped)
    }

    /// Adds an input to the wanted word, which has this length; `false` if no board is in the state to which it led.
    pub(super) fn go_on(&mut self, len: usize, input: Input) -> bool {
        let Some(id) = self.wanted else { return false };
        let is_held = self.boards.iter().any(|board| board.task == BoardTask::Asking(id));
        match self.word_mut(id) {
            Some(word) if is_held && word.inputs.len() == len => {
                word.inputs.push(input);
                true
            }
            _ => false,
        }
    }

    /// The inputs of the wanted word.
    pub(super) fn wanted_inputs(&self) -> Option<Vec<Input>> {
        self.wanted.and_then(|id| self.inputs(id)).map(<[Input]>::to_vec)
    }

    /// How long the reset of the wanted word took, once it is done.
    pub(super) fn reset_time(&self) -> Option<Duration> {
        self.wanted.and_then(|id| self.word(id)).and_then(|word| word.reset)
    }

    /// The inputs of a word, unless it was dropped.
    pub(super) fn inputs(&self, id: u64) -> Option<&[Input]> {
        self.word(id).map(|word| &*word.inputs)
    }

    /// The answers to the wanted word so far.
    pub(super) fn answers(&self) -> &[DeviceAnswer] {
        self.wanted.and_then(|id| self.word(id)).map_or(&[], |word| &word.answers)
    }

    /// The next word for a board: its number and its inputs so far. There is none before [`begin`](Self::begin).
    pub(super) fn next_word(&mut self, board: usize, now: Instant) -> Option<(u64, Vec<Input>)> {
        let at = match self.boards[board].task {
            BoardTask::Again(id) => self.words.iter().position(|word| word.id == id),
            BoardTask::Away(until) if now < until => return None,
            BoardTask::Failed(_) | BoardTask::LeftOut => return None,
            BoardTask::Free | BoardTask::Away(_) | BoardTask::Asking(_) => None,
        };
        let is_next = |word: &ScheduledWord| {
            self.is_begun && word.board.is_none() && self.may_ask(board, word)
        };
        let Some(at) = at.or_else(|| self.words.iter().position(is_next)) else {
            self.boards[board].task = BoardTask::Free;
            return None;
        };
        let word = &mut self.words[at];
        word.board = Some(board);
        self.boards[board].task = BoardTask::Asking(word.id);
        Some((word.id, word.inputs.clone()))
    }

    /// When a board that is away may get a word again.
    pub(super) fn away_until(&self, board: usize) -> Option<Instant> {
        match self.boards[board].task {
            BoardTask::Away(until) => Some(until),
            _ => None,
        }
    }

    /// Whether no board can be asked, and some may come back.
    pub(super) fn all_are_away(&self) -> bool {
        let mut left =
            self.boards.iter().filter(|board| board.task != BoardTask::LeftOut).peekable();
        left.peek().is_some() && left.all(|board| matches!(board.task, BoardTask::Away(_)))
    }

    pub(super) fn is_left_out(&self, board: usize) -> bool {
        self.boards[board].task == BoardTask::LeftOut
    }

    /// A word that a board has answered already is asked on another one if it can be.
    fn may_ask(&self, board: usize, word: &ScheduledWord) -> bool {
        let knows = |board: &BoardState| last_answer(&board.heard, &word.inputs).is_some();
        let is_there =
            |board: &&BoardState| !matches!(board.task, BoardTask::Away(_) | BoardTask::LeftOut);
        !knows(&self.boards[board]) || self.boards.iter().filter(is_there).all(knows)
    }

    /// A board was reset for a word.
    pub(super) fn reset(&mut self, board: usize, id: u64, took: Duration) {
        self.boards[board].counts.asked.resets += 1;
        self.boards[board].is_away = false;
        if let Some(word) = self.word_mut(id) {
            word.reset = Some(took);
        }
    }

    /// A board has answered the next input of its word.
    pub(super) fn answer(&mut self, board: usize, id: u64, answer: DeviceAnswer) {
        self.boards[board].counts.asked.symbols += 1;
        if let Some(word) = self.word_mut(id) {
            word.answers.push(answer);
        }
    }

    /// What a board does after the answer before this position. It is free then, if it is done with its word.
    pub(super) fn next_input(&mut self, board: usize, id: u64, position: usize) -> AfterAnswer {
        if let Some(word) = self.word(id) {
            match word.inputs.get(position) {
                Some(&input) => return AfterAnswer::Ask(input),
                None if word.is_open && !self.is_needed_elsewhere(board, id) => {
                    return AfterAnswer::Wait;
                }
                None => {}
            }
        }
        self.leave(board, id);
        AfterAnswer::Over
    }

    /// Whether the board has to leave this word, since the wanted one waits for a board. Of the boards that may ask it,
    /// the one goes whose word comes last.
    fn is_needed_elsewhere(&self, board: usize, id: u64) -> bool {
        let wanted = self.wanted.and_then(|id| self.word(id));
        let Some(wanted) = wanted.filter(|word| word.board.is_none()) else { return false };
        let does = |board: usize, task: BoardTask| self.boards[board].task == task;
        let is_free = |board: usize| does(board, BoardTask::Free) && self.may_ask(board, wanted);
        let is_asked = |word: &&ScheduledWord| {
            word.board.is_some_and(|board| {
                does(board, BoardTask::Asking(word.id)) && self.may_ask(board, wanted)
            })
        };
        let last = self.words.iter().rev().find(is_asked);
        !(0..self.boards.len()).any(is_free)
            && last.is_some_and(|word| (word.id, word.board) == (id, Some(board)))
    }

    /// A board is done with its word.
    fn leave(&mut self, board: usize, id: u64) {
        self.boards[board].task = BoardTask::Free;
        if let Some(at) = self.words.iter().position(|word| word.id == id) {
            self.hear(at);
        }
    }

    /// The board of a word keeps its answers, once.
    fn hear(&mut self, at: usize) {
        let ScheduledWord { inputs, answers, board, is_heard, .. } = &mut self.words[at];
        let Some(board) = board.filter(|_| !std::mem::replace(is_heard, true)) else { return };
        let BoardState { heard, has_answered, .. } = &mut self.boards[board];
        *has_answered |= answers.len() == inputs.len();
        let mut node = NodeId::ROOT;
        for (&input, DeviceAnswer { output, .. }) in inputs.iter().zip(&*answers) {
            node = heard.observe(node, input, output, 0).node;
        }
        let inputs = inputs.clone();
        self.compare(board, &inputs);
    }

    /// Compares what the boards say to a word.
    fn compare(&mut self, board: usize, word: &[Input]) {
        for other in (0..self.boards.len()).filter(|&other| other != board) {
            let [mine, theirs] = [board, other].map(|board| said(&self.boards[board].heard, word));
            let Some(at) = mine.iter().zip(&theirs).position(|(mine, theirs)| mine != theirs)
            else {
                continue;
            };
            let disputed = word[..=at].to_vec();
            let answers = [(board, mine[at].to_vec()), (other, theirs[at].to_vec())];
            if self.disputed.insert(disputed.clone()) {
                for board in [board, other] {
                    self.boards[board].counts.disagreements += 1;
                }
                self.disagreements.push(Disagreement { word: disputed, answers });
            }
        }
    }

    /// A disagreement of which nobody was told.
    pub(super) fn take_disagreement(&mut self) -> Option<Disagreement> {
        self.disagreements.pop()
    }

    /// What each board says to the last input of a word, and how often it did.
    pub(super) fn said(&self, word: &[Input]) -> Vec<(usize, Vec<u8>, u32)> {
        let last =
            self.boards.iter().enumerate().filter_map(|(board, BoardState { heard, .. })| {
                last_answer(heard, word).map(|node| (board, heard, node))
            });
        let all = last.flat_map(|(board, heard, node)| {
            heard.alternatives(node).map(move |(output, votes)| (board, output.to_vec(), votes))
        });
        all.collect()
    }

    /// A board failed with its word. Returns whether it has answered a whole word since it failed before.
    pub(super) fn fail(&mut self, board: usize, id: u64) -> bool {
        let BoardState { task, counts, is_away, .. } = &mut self.boards[board];
        *task = BoardTask::Failed(id);
        counts.failures += u64::from(!*is_away);
        if let Some(word) = self.word_mut(id) {
            (word.reset, word.answers) = (None, Vec::new());
        }
        std::mem::take(&mut self.boards[board].has_answered)
    }

    /// What a board has answered to a word is in doubt: the word is asked again, unless the caller has taken the answers.
    pub(super) fn doubt(&mut self, board: usize, inputs: &[Input]) {
        let wanted = self.wanted;
        let is_it = |word: &&mut ScheduledWord| {
            word.board == Some(board) && word.inputs == inputs && Some(word.id) != wanted
        };
        for word in self.words.iter_mut().filter(is_it) {
            (word.board, word.reset, word.answers, word.is_heard) = (None, None, Vec::new(), false);
        }
    }

    /// The board that failed asks its word again.
    pub(super) fn ask_again(&mut self, board: usize) {
        if let BoardTask::Failed(id) = self.boards[board].task {
            self.boards[board].task = BoardTask::Again(id);
        }
    }

    /// The board that failed gets no word before this time. Its word is asked elsewhere.
    pub(super) fn send_away(&mut self, board: usize, until: Instant) {
        self.take_word(board);
        self.boards[board].task = BoardTask::Away(until);
        self.boards[board].is_away = true;
    }

    /// The board that failed gets no more words. Its word is asked elsewhere. Returns how many boards are left.
    pub(super) fn leave_out(&mut self, board: usize, why: String) -> usize {
        self.take_word(board);
        self.boards[board].task = BoardTask::LeftOut;
        self.boards[board].counts.left_out = Some(why);
        self.boards.iter().filter(|board| board.task != BoardTask::LeftOut).count()
    }

    fn take_word(&mut self, board: usize) {
        if let BoardTask::Failed(id) = self.boards[board].task
            && let Some(word) = self.word_mut(id)
        {
            word.board = None;
        }
    }

    /// What each board was asked and did.
    pub(super) fn counts(&self) -> Vec<BoardCounts> {
        self.boards.iter().map(|board| board.counts.clone()).collect()
    }

    fn new_word(&mut self, inputs: &[Input], is_open: bool) -> ScheduledWord {
        self.next_id += 1;
        ScheduledWord {
            id: self.next_id,
            inputs: inputs.to_vec(),
            is_open,
            reset: None,
            answers: Vec::new(),
            board: None,
            is_heard: false,
        }
    }

    fn word(&self, id: u64) -> Option<&ScheduledWord> {
        self.words.iter().find(|word| word.id == id)
    }

    fn word_mut(&mut self, id: u64) -> Option<&mut ScheduledWord> {
        self.words.iter_mut().find(|word| word.id == id)
    }
}

/// The outputs to the longest known beginning of a word.
fn said<'t>(tree: &'t AnswerTree, word: &[Input]) -> Vec<&'t [u8]> {
    let mut at = NodeId::ROOT;
    let answers = word.iter().map_while(|&input| {
        at = tree.answer(at, input)?;
        Some(tree.output(at))
    });
    answers.collect()
}

/// The answer to the last input of a word, if the whole word is known.
fn last_answer(tree: &AnswerTree, word: &[Input]) -> Option<NodeId> {
    word.iter().try_fold(NodeId::ROOT, |at, &input| tree.answer(at, input))
}
