//! Dependency order: nodes, each after those that it reads.

/// Sorts nodes topologically: `reads` are the nodes that each node reads. Calls `cycle` for each read that closes a
/// cycle, with the nodes of the cycle, of which the last reads the first. With cycles, their nodes are in some order.
///
/// Depth-first search with a stack of its own, because a chain may be as long as a file. It takes time proportional to
/// the nodes and reads; a caller that lists every cycle may take the product.
pub fn dependency_order(reads: &[Vec<usize>], mut cycle: impl FnMut(&[usize])) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    // Otherwise the position of a node in `path`.
    let mut states = vec![NEW; reads.len()];
    let mut order = Vec::with_capacity(reads.len());
    let (mut path, mut next): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for start in 0..reads.len() {
        if states[start] != NEW {
            continue;
        }
        states[start] = 0;
        path.push(start);
        next.push(0);
        while let (Some(&at), Some(position)) = (path.last(), next.last_mut()) {
            let Some(&read) = reads[at].get(*position) else {
                states[at] = DONE;
                order.push(at);
                path.pop();
                next.pop();
                continue;
            };
            *position += 1;
            match states[read] {
                DONE => {}
                NEW => {
                    states[read] = path.len();
                    path.push(read);
                    next.push(0);
                }
                open => cycle(&path[open..]),
            }
        }
    }
    order
}
