"""Checks that each sentence of SECURITY.md has a test that fails when it is broken."""

import os
import re

import pytest

from paths import ROOT

PACKAGES, PERIOD = "run/packages/", "programs/period/"
HOSTILE = PACKAGES + "test_hostile_packages.py"
DECLARED = PACKAGES + "test_declared.py"
INDEXES = PACKAGES + "test_indexes.py"
LOCKS = PACKAGES + "test_lock_file.py"
INSTALLATION = PERIOD + "test_installation.py"
FOLDER = "cli/test_foreign_folders.py"
MODELS = "model/test_hostile_models.py"
TEXTS = "programs/source/test_hostile_files.py"
# How a sentence begins, and the test of it.
TESTS = {
    "`run` fetches the period layer once": (INSTALLATION, "test_pip_downloads_from_the_index"),
    "`run` and `doctor` fetch": (INDEXES, "test_the_index_of_pip_conf_is_the_only_one_asked"),
    "The uv.toml, pyproject.toml": (INDEXES, "test_the_configuration_of_a_program_is_not_obeyed"),
    "An index that a program's": (
        DECLARED,
        "test_lines_that_are_no_package_with_a_version_are_said",
    ),
    "A package that these files take": (
        DECLARED,
        "test_a_package_from_elsewhere_is_not_asked_of_the_index",
    ),
    "Of a program's files only": (DECLARED, "test_a_link_out_of_the_repository_is_not_read"),
    "Of a program neither": (DECLARED, "test_only_lists_of_texts_of_a_setup_are_read"),
    "No tag of an environment.yml": (DECLARED, "test_a_hostile_environment_is_said"),
    "A password of an index": (INDEXES, "test_passwords_go_to_their_index_alone"),
    "With `TF1GRAD_OFFLINE=1`": (PACKAGES + "test_bringing.py", "test_left_out"),
    "Each wheel of the period layer": (INSTALLATION, "test_other_checksum"),
    "If pip ends without an error": (INSTALLATION, "test_a_pip_that_brings_nothing_leaves_no_part"),
    "Each file of a program's package": (
        PACKAGES + "test_index_faults.py",
        "test_a_fault_is_told_and_the_next_run_asks_again",
    ),
    "No package is brought for a module of": (
        PACKAGES + "test_bringing.py",
        "test_no_package_is_brought_for_a_module_of_the_programs_tree",
    ),
    "No package is brought for a module that": (
        PACKAGES + "test_bringing.py",
        "test_a_module_with_a_common_name_brings_no_package",
    ),
    "A lock file": (LOCKS, "test_a_file_of_another_form_is_refused"),
    "A release that the lock file": (LOCKS, "test_what_the_index_does_not_have_is_told"),
    "A refusal, a login page": (
        PACKAGES + "test_index_faults.py",
        "test_a_fault_is_told_and_the_next_run_asks_again",
    ),
    "A damaged file": (
        PACKAGES + "test_damaged_packages.py",
        "test_a_damaged_file_is_named_and_the_packages_fetched_again",
    ),
    "A folder of another user": (
        PERIOD + "test_folder.py",
        "test_a_folder_of_another_user_is_not_used_in_any_place",
    ),
    "pip and uv end": (
        PACKAGES + "test_killed_fetches.py",
        "test_uv_ends_with_a_run_and_the_next_run_cleans_up",
    ),
    "A path in a package": (HOSTILE, "test_a_path_that_leads_out_is_refused"),
    "A package is refused if": (HOSTILE, "test_metadata_of_another_package_are_refused"),
    "A package that unpacks": (HOSTILE, "test_a_wheel_that_unpacks_to_a_gigabyte_is_refused"),
    "Of a source package": (HOSTILE, "test_no_build_is_started"),
    "Of a package no file": (HOSTILE, "test_nothing_is_executed_before_the_program"),
    "No package replaces": (HOSTILE, "test_nothing_is_executed_before_the_program"),
    "No `pip`": (INSTALLATION, "test_pip_of_the_current_folder_is_not_executed"),
    "No program that the configuration": (INDEXES, "test_no_program_of_the_repository_is_started"),
    "`check`, `doctor`": (FOLDER, "test_nothing_of_the_folder_is_executed"),
    "The TensorFlow 1.15": (INSTALLATION, "test_keeps_the_served_files_of_the_wheels"),
    "`model inspect` runs": (MODELS, "test_ops_that_the_graph_hides_are_not_run"),
    "`model convert` runs": (MODELS, "test_ops_that_read_or_write_are_not_run"),
    "That holds for the ops": (MODELS, "test_ops_that_the_graph_hides_are_not_run"),
    "A SavedModel that": (MODELS, "test_what_a_saved_model_runs_when_it_is_loaded_is_not_run"),
    "`convert` names": (MODELS, "test_ops_that_read_or_write_are_not_run"),
    "A Keras file": (MODELS, "test_keras_files_bring_no_code"),
    "Keras makes": (MODELS, "test_keras_makes_no_function_of_code_that_was_not_seen"),
    "An HDF5 file": (MODELS, "test_keras_files_take_no_data_from_other_files"),
    "An asset": (MODELS, "test_an_asset_outside_of_its_folder_is_refused"),
    "Pickles": (MODELS, "test_files_that_hold_code_are_not_read_as_models"),
    "A file with a wrong bit": (
        "model/test_model_files.py",
        "test_single_wrong_bits_and_cut_files_are_told",
    ),
    "The time": (TEXTS, "test_the_time_grows_with_the_length_and_not_with_its_square"),
    "Pipes": (TEXTS, "test_pipes_and_devices_are_not_read"),
    "A file that is nested": (TEXTS, "test_what_cannot_be_read_is_told"),
    "If a file has several names": (
        TEXTS,
        "test_other_names_of_an_upgraded_file_have_its_new_content",
    ),
    "The program, by": (FOLDER, "test_run_executes_the_program_first"),
    "pip, with `-I`": (INSTALLATION, "test_pip_of_the_current_folder_is_not_executed"),
    "The Python that you name": (INSTALLATION, "test_other_python_without_the_files"),
}


def _sentences():
    with open(os.path.join(ROOT, "SECURITY.md"), encoding="utf-8") as file:
        lines = re.findall(r"^- (.*(?:\n  .*)*)", file.read(), re.M)
    return [" ".join(line.split()) for line in lines]


@pytest.mark.parametrize("sentence", _sentences())
def test_a_sentence_has_a_test(sentence):
    (found,) = [test for begin, test in TESTS.items() if sentence.startswith(begin)]
    with open(os.path.join(ROOT, "tests", found[0]), encoding="utf-8") as file:
        assert f"def {found[1]}(" in file.read()


def test_each_test_has_a_sentence():
    for begin in TESTS:
        assert any(sentence.startswith(begin) for sentence in _sentences()), begin
