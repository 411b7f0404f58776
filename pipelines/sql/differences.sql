-- Macros: what differs between the conditions of two results, and how far they answer one question.
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03

-- The texts of one dimension that a number has, each once, and conditions as a reader sees them.
create or replace temp macro texts_of(texts) as array_to_string(list_sort(list_distinct(texts)), ', ');
create or replace temp macro words_of(conditions) as nullif(
    texts_of(list_transform(
        conditions,
        lambda entry: if(entry.key <> 'other', replace(entry.key, '_', ' ') || ' ', '') || entry.value
    )),
    ''
);

-- All in which two answers to one question may differ, without the releases and who measured.
create or replace temp macro test_of(r) as list_filter(
    identity_entries(r),
    lambda fact: fact.key not in ('platform', 'statistic', 'submission_id', 'sdk_version', 'framework_version')
);

-- The same, with the releases and who measured.
create or replace temp macro facts_of(test, publisher, framework_version, release_product, sdk_version) as test || [
    struct_pack(key := 'who_measured', value := publisher),
    struct_pack(key := 'framework_version', value := framework_version),
    struct_pack(
        key := 'SDK',
        value := case when sdk_version is not null then concat_ws(' ', release_product, sdk_version) end
    )
];

-- Two tests that differ in one of these are not the same work; in training the batch is tuned to the system.
-- All else is how the work was run, which a reader may accept.
create or replace temp macro work_of(test, task) as list_filter(
    test,
    lambda fact: dimension(fact.key).has_column
    and (
        dimension(fact.key).is_lent
        or dimension(fact.key).identity = 'inference' and (task = 'inference' or fact.key <> 'batch_size')
    )
);

-- What differs between the facts of two sides, of which some are of the work. What one side does not state is never
-- taken for what the other side states.
create or replace temp macro differences_of(
    left_facts, right_facts, work, is_other_data, is_one_vendor, is_one_framework
) as list_filter(
    list_transform(
        list_distinct(map_keys(left_facts) || map_keys(right_facts) || ['batch_size', 'precision']),
        -- Made-up data in place of real data is how the work was run, not other work.
        lambda name: struct_pack(
            is_setup := not list_contains(work, name) or name = 'dataset' and is_other_data,
            name := if(name = 'dataset' and is_other_data, 'synthetic or real data', name),
            l := left_facts[name],
            r := right_facts[name]
        )
    ),
    -- Releases of two vendors or of two frameworks have nothing to compare.
    lambda fact: (fact.l is distinct from fact.r or fact.l is null and fact.name in ('batch_size', 'precision'))
    and (is_one_vendor or fact.name <> 'SDK')
    and (is_one_framework or fact.name <> 'framework_version')
);

create or replace temp macro grade_of(differences) as case
    when len(differences) = 0 then 'same'
    when
        list_bool_or(list_transform(
            differences,
            lambda fact: not fact.is_setup
            or fact.name in ('batch_size', 'precision') and (fact.l is null) <> (fact.r is null)
        ))
        then 'indicative'
    else 'close'
end;
