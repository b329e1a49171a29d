//! The load on a service: one thread over many connections, which takes little of the two cores that it shares with what is
//! measured.

use std::{
    error::Error,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    num::NonZeroU64,
    time::{Duration, Instant},
};

use rustix::{
    event::{
        Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
    },
    fd::OwnedFd,
};

use crate::Times;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Requests to a service, and how they leave.
pub struct Load<'a> {
    /// The service.
    pub address: SocketAddr,
    /// What is sent, one after another and again from the start.
    pub requests: &'a [Vec<u8>],
    /// How many connections there are at first.
    pub connections: usize,
    /// How many are sent.
    pub count: usize,
    /// How many leave in a second, whether or not those before were answered; without it each connection sends the next as
    /// soon as it was answered.
    pub rate: Option<usize>,
}

/// What came of it.
pub struct Answered {
    /// How long each took, in milliseconds: from when it left, or from when it should have.
    pub times: Times,
    /// How many were not answered as they should be.
    pub failed: usize,
}

/// A connection, and what it waits for.
struct Lane {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
    since: Instant,
}

impl Load<'_> {
    /// Sends all of it. An answer is as it should be if `is_good` says so of its body.
    pub fn run(&self, is_good: impl Fn(&[u8]) -> bool) -> Outcome<Answered> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let mut lanes = Vec::new();
        for _ in 0..self.connections {
            lanes.push(self.connect(&epoll, lanes.len())?);
        }
        let mut idle: Vec<usize> = (0..lanes.len()).collect();
        let (mut sent, mut failed, mut times) = (0, 0, Vec::with_capacity(self.count));
        // The kernel would wake us up to 50 µs late, to spare energy.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        let began = Instant::now();
        let due = |number: usize| {
            self.rate.map(|rate| began + Duration::from_secs_f64(number as f64 / rate as f64))
        };
        let mut events = Vec::with_capacity(256);
        while times.len() < self.count {
            let now = Instant::now();
            while sent < self.count && due(sent).is_none_or(|due| due <= now) {
                let lane = match (idle.pop(), self.rate) {
                    (Some(lane), _) => lane,
                    (None, None) => break,
                    (None, Some(_)) => {
                        lanes.push(self.connect(&epoll, lanes.len())?);
                        lanes.len() - 1
                    }
                };
                lanes[lane].send(&self.requests[sent % self.requests.len()], due(sent).unwrap_or(now))?;
                sent += 1;
            }
            let wait = due(sent).filter(|_| sent < self.count);
            let wait = wait.map(|due| due.saturating_duration_since(Instant::now()));
            let wait = wait
                .map(|wait| Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() });
            events.clear();
            epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), wait.as_ref())?;
            for event in &events {
                let number = event.data.u64() as usize;
                if let Some(good) = lanes[number].receive(&is_good)? {
                    times.push(lanes[number].since.elapsed().as_secs_f64() * 1e3);
                    failed += usize::from(!good);
                    idle.push(number);
                }
            }
        }
        Ok(Answered { times: Times::new(times), failed })
    }

    fn connect(&self, epoll: &OwnedFd, number: usize) -> Outcome<Lane> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        epoll::add(epoll, &stream, EventData::new_u64(number as u64), EventFlags::IN)?;
        Ok(Lane { stream, buffer: vec![0; 1 << 16], filled: 0, since: Instant::now() })
    }
}

impl Lane {
    fn send(&mut self, request: &[u8], since: Instant) -> Outcome<()> {
        (self.since, self.filled) = (since, 0);
        Ok(self.stream.write_all(request)?)
    }

    /// Takes what has come. Once that is a whole answer, whether it is a good one.
    fn receive(&mut self, is_good: impl Fn(&[u8]) -> bool) -> Outcome<Option<bool>> {
        match self.stream.read(&mut self.buffer[self.filled..]) {
            Ok(0) => return Err("the connection ended".into()),
            Ok(read) => self.filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let came = &self.buffer[..self.filled];
        let Some(end) = came.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
        let head = std::str::from_utf8(&came[..end])?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let whole = end + 4 + length.ok_or("no length")?.parse::<usize>()?;
        Ok((came.len() >= whole).then(|| is_good(&came[end + 4..whole])))
    }
}
