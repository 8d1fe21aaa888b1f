//! How long whole runs take that each stress one part of the learner: `cargo bench -p mealybug-tests`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mealybug_tests::workloads::Workload;

fn learner(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learner");
    group.sample_size(10);
    for workload in Workload::all() {
        // Time a symbol is what counts.
        group.throughput(Throughput::Elements(workload.run()));
        group.bench_function(workload.name, |bencher| bencher.iter(|| workload.run()));
    }
    group.finish();
}

criterion_group!(benches, learner);
criterion_main!(benches);
